import { ModelError } from "@reprise/contracts";
import { type Speaker, sayFailure } from "../failure/failed-answer.ts";

/** The most one event of a stream may have, and an answer that is no stream: a large picture in base64 fits. */
export const MAX_EVENT_BYTES: number = 16 * 1024 * 1024;

/** The most a stream may have that is not made of lines (Bedrock's): nothing here can see where its events end. */
const MAX_STREAM_BYTES = 256 * 1024 * 1024;

const NEWLINE = 10;
const RETURN = 13;

export function tooLarge({ model }: Speaker): ModelError {
  return new ModelError("answer_too_large", sayFailure(model, "answer_too_large", []));
}

/** The same answer; an event in it that grows beyond every measure ends it. For readers that hold an event until it is complete. */
export function boundEvents(speaker: Speaker, response: Response): Response {
  if (response.body === null) return response;
  const isLines = /^text\/event-stream\b/i.test(response.headers.get("content-type") ?? "");
  const meter = isLines ? new EventMeter() : { size: 0, take: addSize };
  const most = isLines ? MAX_EVENT_BYTES : MAX_STREAM_BYTES;
  const reader = response.body.getReader();
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await reader.read();
        if (done) return controller.close();
        meter.take(value);
        if (meter.size <= most) return controller.enqueue(value);
        controller.error(tooLarge(speaker));
        await reader.cancel();
      },
      cancel: (reason) => reader.cancel(reason),
    },
    // Nothing is read ahead: who reads sets the pace.
    { highWaterMark: 0 },
  );
  const { status, statusText, headers } = response;
  return new Response(body, { status, statusText, headers });
}

function addSize(this: { size: number }, piece: Uint8Array): void {
  this.size += piece.length;
}

/** Counts the bytes since the last blank line, however the stream is cut. */
class EventMeter {
  size = 0;
  #isLineEmpty = true;
  #last = 0;

  take(piece: Uint8Array): void {
    for (const byte of piece) {
      this.size += 1;
      const isEnd = byte === RETURN || (byte === NEWLINE && this.#last !== RETURN);
      if (isEnd && this.#isLineEmpty) this.size = 0;
      if (isEnd) this.#isLineEmpty = true;
      else if (byte !== NEWLINE) this.#isLineEmpty = false;
      this.#last = byte;
    }
  }
}
