import type { Speaker } from "../failure/failed-answer.ts";
import { thrownFailure } from "../failure/thrown-failure.ts";
import { tooLarge } from "../wire/bound-events.ts";
import { MAX_IMAGE_BYTES } from "./fetch-image.ts";

/** An answer holds a picture in base64, which takes a third more, or some of them. */
const MAX_BODY_BYTES = 4 * MAX_IMAGE_BYTES;

/** The text of an answer, which must not be larger than pictures are. */
export async function readBody(speaker: Speaker, response: Response, signal: AbortSignal): Promise<string> {
  const decoder = new TextDecoder();
  const pieces: string[] = [];
  let size = 0;
  try {
    // A body is an async iterable in Node; the DOM's types do not say so.
    const body = response.body as unknown as AsyncIterable<Uint8Array> | null;
    for await (const piece of body ?? []) {
      size += piece.length;
      if (size > MAX_BODY_BYTES) throw tooLarge(speaker);
      pieces.push(decoder.decode(piece, { stream: true }));
    }
  } catch (error) {
    throw thrownFailure(speaker, error, true, signal);
  }
  return pieces.join("") + decoder.decode();
}
