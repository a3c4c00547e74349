import type { UiChunk } from "@reprise/protocols/ai-sdk";

/** The chunks of a response, and whether it was whole. */
export interface ReadFrames {
  readonly chunks: readonly UiChunk[];
  readonly ids: readonly string[];
  readonly isDone: boolean;
}

/** Reads frames as strictly as they are written: nothing but ids and data, one line each. */
export function readFrames(text: string): ReadFrames {
  const chunks: UiChunk[] = [];
  const ids: string[] = [];
  let isDone = false;
  for (const frame of text.split("\n\n").slice(0, -1)) {
    if (isDone) throw new Error(`There is a frame behind the last one: ${frame}`);
    const [, id, data] = /^(?:id: ([^\n]+)\n)?data: ([^\n]+)$/.exec(frame) ?? [];
    if (data === undefined) throw new Error(`This is no frame: ${frame}`);
    if (id !== undefined) ids.push(id);
    if (data === "[DONE]") isDone = true;
    else chunks.push(JSON.parse(data));
  }
  if (text !== "" && !text.endsWith("\n\n")) throw new Error("The last frame has no end.");
  return { chunks, ids, isDone };
}
