import { AI_SDK_HEADERS, createAiSdkEncoder } from "@reprise/protocols/ai-sdk";
import type { RunHandle } from "@reprise/runtime";
import { browserUrl } from "../blobs/blob-url.ts";
import type { HttpExchange } from "../host/route.ts";
import { idHeaders } from "../http/answer.ts";
import type { FrameEncoding } from "../sse/frame-encoding.ts";
import { respondWithEvents } from "../sse/respond-with-events.ts";

/**
 * Answers with a run as one message of the assistant, the runs below it included. What the client has already is taken in and not said
 * again: the events of each run up to the position in `known`. The response ends where the run waits, and, without an end, where what was shown is no longer true.
 */
export function streamMessage(
  exchange: HttpExchange,
  run: RunHandle,
  known: ReadonlyMap<string, number> = new Map(),
): Response {
  const encoder = createAiSdkEncoder({ fileUrl: (url) => browserUrl(exchange, url) });
  let isContinuing = known.size > 0;
  const encoding: FrameEncoding = {
    encode({ event, cursor }) {
      if (event.seq === undefined || event.seq > (known.get(event.run_id) ?? 0)) {
        if (isContinuing) encoder.restart();
        isContinuing = false;
        return encoder.encode(event, cursor);
      }
      encoder.skip(event);
      return "";
    },
    end: () => encoder.end(),
    get isOver() {
      return encoder.phase === "withdrawn";
    },
  };
  const headers = { ...AI_SDK_HEADERS, ...idHeaders({ run: run.id, thread: run.threadId }) };
  return respondWithEvents(
    exchange,
    (signal) => run.eventsWithCursor({ children: "events", signal }),
    headers,
    encoding,
  );
}
