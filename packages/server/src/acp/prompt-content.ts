import { type ContentPart, parseDataUrl } from "@reprise/contracts";
import { type AcpContent, decodePrompt, RPC_ERRORS, RpcError } from "@reprise/protocols/acp";
import type { TenantRuntime } from "@reprise/runtime";
import type { Json } from "@reprise/state";
import type { TurnEnd } from "./turn.ts";

/** The content of a prompt as a message has it. Files that came inside go into the blob store: a thread holds no bytes. */
export function readContent(runtime: TenantRuntime, prompt: readonly AcpContent[]): Promise<readonly ContentPart[]> {
  return Promise.all(
    decodePrompt(prompt).map(async (part) => {
      if (part.type !== "image" && part.type !== "file") return part;
      const parsed = parseDataUrl(part.url);
      if (parsed === undefined) return part;
      const { ref } = await runtime.blobs.put(readBase64(parsed.body), { media_type: parsed.mediaType });
      return { ...part, url: ref };
    }),
  );
}

/** The words of a prompt as the answer to a question: a number or a truth value where one is asked for. */
export function readAnswer({ question }: Extract<TurnEnd, { type: "asked" }>, prompt: readonly AcpContent[]): Json {
  const text = prompt
    .map((block) => (block.type === "text" ? block.text : ""))
    .join("\n")
    .trim();
  const type = question.ticket.suspension.response_schema?.type;
  if (type === undefined || type === "string") return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function readBase64(body: string): Uint8Array {
  try {
    return Uint8Array.from(atob(body), (character) => character.charCodeAt(0));
  } catch {
    throw new RpcError(RPC_ERRORS.invalidParams, "Invalid params: data must be base64.");
  }
}
