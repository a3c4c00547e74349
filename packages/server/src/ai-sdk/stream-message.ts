import { AI_SDK_HEADERS, createAiSdkEncoder } from "@reprise/protocols/ai-sdk";
import type { RunHandle } from "@reprise/runtime";
import { browserUrl } from "../blobs/blob-url.ts";
import type { HttpExchange } from "../host/route.ts";
import { idHeaders } from "../http/answer.ts";
import type { FrameEncoding } from "../sse/frame-encoding.ts";
import { respondWithEvents } from "../sse/respond-with-events.ts";

/**
 * Answers with a run as one message of the assistant. What the client has already is taken in and not said again: events up to
 * `after`. The response ends where the run waits, and, without an end, where what was shown is no longer true.
 */
export function streamMessage(exchange: HttpExchange, run: RunHandle, after = 0): Response {
  const encoder = createAiSdkEncoder({ fileUrl: (url) => browserUrl(exchange, url) });
  const encoding: FrameEncoding = {
    encode({ event, cursor }) {
      if (event.seq === undefined || event.seq > after) return encoder.encode(event, cursor);
      encoder.skip(event);
      return "";
    },
    end: () => encoder.end(),
    get isOver() {
      return encoder.phase === "withdrawn";
    },
  };
  const headers = { ...AI_SDK_HEADERS, ...idHeaders({ run: run.id, thread: run.threadId }) };
  return respondWithEvents(exchange, (signal) => run.eventsWithCursor({ signal }), headers, encoding);
}
