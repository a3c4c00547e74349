import { AG_UI_HEADERS, type AgUiClient, type AgUiEncoder, createAgUiEncoder } from "@reprise/protocols/ag-ui";
import type { EventIterator, RunHandle } from "@reprise/runtime";
import { browserUrl } from "../blobs/blob-url.ts";
import type { HttpExchange } from "../host/route.ts";
import { idHeaders } from "../http/answer.ts";
import type { CursoredEvent } from "../sse/encode-frame.ts";
import type { FrameEncoding } from "../sse/frame-encoding.ts";
import { respondWithEvents } from "../sse/respond-with-events.ts";

export interface StreamedRun {
  readonly run: RunHandle;
  readonly client: AgUiClient;
  /** The client has the events up to this one. */
  readonly after?: number;
  /** Called once the run has begun, for what the client is shown before its events. */
  readonly open?: (encoder: AgUiEncoder) => Promise<void>;
}

/** Answers with the events of a run. The response ends where the run waits, and where what was shown is no longer true. */
export function streamRun(exchange: HttpExchange, { run, client, after = 0, open }: StreamedRun): Response {
  const encoder = createAgUiEncoder({ ...client, fileUrl: (url) => browserUrl(exchange, url) });
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
  const headers = { ...AG_UI_HEADERS, ...idHeaders({ run: run.id, thread: run.threadId }) };
  const read = (signal: AbortSignal): EventIterator<CursoredEvent> => {
    const events = run.eventsWithCursor({ signal });
    return open === undefined ? events : openedBy(events, () => open(encoder));
  };
  return respondWithEvents(exchange, read, headers, encoding);
}

/** The same events, the first of them only when everything before it is here. */
function openedBy(events: EventIterator<CursoredEvent>, open: () => Promise<void>): EventIterator<CursoredEvent> {
  let isOpen = false;
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    async next() {
      const next = await events.next();
      if (!isOpen) await open();
      isOpen = true;
      return next;
    },
    takeNow: () => (isOpen ? events.takeNow() : undefined),
    return: async () => (await events.return?.()) ?? { done: true, value: undefined },
  };
}
