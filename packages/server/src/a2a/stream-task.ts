import { type A2aMessage, type A2aStreamItem, type A2aTask, createA2aEncoder } from "@reprise/protocols/a2a";
import type { RunHandle } from "@reprise/runtime";
import { browserUrl } from "../blobs/blob-url.ts";
import type { HttpExchange } from "../host/route.ts";
import { idHeaders } from "../http/answer.ts";
import type { FrameEncoding } from "../sse/frame-encoding.ts";
import { prepareEvents } from "../sse/prepare-events.ts";
import { respondWithEvents, STREAM_HEADERS } from "../sse/respond-with-events.ts";
import { takeUp } from "../sse/take-up.ts";
import { embedFileOf } from "./embed-files.ts";

export interface StreamTaskOptions {
  /**
   * The task as it is, for a client that has not seen it from its start; the stream shows the events of each run, of the task's own and of those
   * below it, after its position in `known`.
   */
  readonly first?: { readonly task: A2aTask; readonly known: ReadonlyMap<string, number> };
  /** Stay while the task needs input. */
  readonly follow?: boolean;
  readonly wrap: (item: A2aStreamItem) => unknown;
}

/** Answers with the updates of a task. The response ends where the task needs input or is over. */
export function streamTask(
  exchange: HttpExchange,
  run: RunHandle,
  { first, follow = false, wrap }: StreamTaskOptions,
): Response {
  const encoder = createA2aEncoder({ fileUrl: (url) => browserUrl(exchange, url), follow, wrap });
  let opening = first === undefined ? "" : encoder.frame({ task: first.task });
  const taken = takeUp(first?.known ?? new Map(), {
    encode: ({ event, cursor }) => encoder.encode(event, cursor),
    skip: ({ event }) => encoder.skip(event),
  });
  const encoding: FrameEncoding = {
    encode(item) {
      const before = opening;
      opening = "";
      return before + taken.encode(item);
    },
    end: () => opening + taken.end() + encoder.end(),
    get isOver() {
      return encoder.state.phase === "withdrawn";
    },
  };
  const headers = idHeaders({ run: run.id, thread: run.threadId });
  const read = (signal: AbortSignal) =>
    prepareEvents(run.eventsWithCursor({ follow, signal, children: "events" }), (item) =>
      embedFileOf(exchange.runtime.blobs, item),
    );
  return respondWithEvents(exchange, read, headers, encoding);
}

/** Answers with one message: the whole stream of an agent that makes no task. */
export function streamMessage(
  exchange: HttpExchange,
  run: RunHandle,
  message: A2aMessage,
  wrap: StreamTaskOptions["wrap"],
): Response {
  const headers = { ...exchange.headers, ...STREAM_HEADERS, ...idHeaders({ thread: run.threadId }) };
  return new Response(createA2aEncoder({ wrap }).frame({ message }), { headers });
}
