import type { EventIterator } from "@reprise/runtime";
import type { Call } from "../http/route.ts";
import { openBodyOutlet } from "./body-outlet.ts";
import type { CursoredEvent } from "./encode-frame.ts";
import type { FrameEncoding } from "./frame-encoding.ts";
import { openNodeOutlet } from "./node-outlet.ts";
import { pumpEvents } from "./pump-events.ts";

const STREAM_HEADERS: Readonly<Record<string, string>> = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-store, no-transform",
  "x-accel-buffering": "no",
};

/** Answers with a stream of events. `read` gets a signal that says when nobody listens any more. */
export function respondWithEvents(
  call: Call,
  read: (signal: AbortSignal) => EventIterator<CursoredEvent>,
  own: Readonly<Record<string, string>>,
  encoding?: FrameEncoding,
): Response {
  const { context, host, headers: common, place } = call;
  const headers = { ...common, ...STREAM_HEADERS, ...own };
  if (context.req.raw.method === "HEAD") return new Response(null, { headers });
  const { limits } = host.streams;
  if (place === undefined) throw new TypeError("A route that streams says so, and a place is kept for it.");
  // Only Node gives something to bind to; elsewhere there is no such object at all.
  const outgoing = context.env?.outgoing;
  const { outlet, response } =
    outgoing === undefined
      ? openBodyOutlet(headers, limits.maxBufferedBytes)
      : openNodeOutlet(outgoing, headers, limits);
  void pumpEvents(host, place, outlet, read(outlet.gone), encoding);
  return response;
}
