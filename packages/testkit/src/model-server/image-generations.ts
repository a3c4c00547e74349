import { CHAT_COMPLETIONS } from "./chat-completions.ts";
import type { Protocol } from "./server-script.ts";

/**
 * OpenAI's endpoint for pictures, which never streams. A step `file` is a picture: a `data:` URL goes out as base64, any other as the
 * address it is. Such addresses may lie on this server, under `/files/`.
 */
export const IMAGE_GENERATIONS: Protocol = {
  contentType: "application/json",
  encode: () => [],
  encodeWhole: (steps) => ({
    created: 1,
    data: steps.flatMap((step) => {
      if (!("file" in step)) return [];
      const inline = /^data:[^,]*;base64,/.exec(step.file)?.[0];
      return [inline === undefined ? { url: step.file } : { b64_json: step.file.slice(inline.length) }];
    }),
  }),
  encodeError: CHAT_COMPLETIONS.encodeError,
};
