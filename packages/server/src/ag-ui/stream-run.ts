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
  /** How far the client has the events of this run and of the runs below it, by their ids. */
  readonly after?: ReadonlyMap<string, number>;
  /** Called once the run has begun, for what the client is shown before its events. */
  readonly open?: (encoder: AgUiEncoder) => Promise<void>;
}

const NOTHING: ReadonlyMap<string, number> = new Map();

/** Answers with the events of a run and of the runs below it. The response ends where the run waits, and where what was shown is no longer true. */
export function streamRun(exchange: HttpExchange, { run, client, after = NOTHING, open }: StreamedRun): Response {
  const encoder = createAgUiEncoder({ ...client, fileUrl: (url) => browserUrl(exchange, url) });
  const behind = new Map(after);
  const held: CursoredEvent[] = [];
  const takeUp = (): string => {
    // The response before this one ended here.
    encoder.end();
    behind.clear();
    return held
      .splice(0)
      .map(({ event, cursor }) => encoder.encode(event, cursor))
      .join("");
  };
  const encoding: FrameEncoding = {
    encode(item) {
      const { event, cursor } = item;
      const known = after.get(event.run_id) ?? 0;
      if (event.seq !== undefined && event.seq <= known) {
        encoder.skip(event);
        if (event.seq === known) behind.delete(event.run_id);
        return behind.size === 0 ? takeUp() : "";
      }
      if (behind.size === 0) return encoder.encode(event, cursor);
      // Runs take turns: new events of one may come before known ones of another.
      held.push(item);
      return "";
    },
    end: () => (behind.size === 0 ? "" : takeUp()) + encoder.end(),
    get isOver() {
      return encoder.phase === "withdrawn";
    },
  };
  const headers = { ...AG_UI_HEADERS, ...idHeaders({ run: run.id, thread: run.threadId }) };
  const read = (signal: AbortSignal): EventIterator<CursoredEvent> => {
    const events = run.eventsWithCursor({ signal, children: "events" });
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
