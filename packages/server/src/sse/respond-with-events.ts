import type { EventIterator } from "@reprise/runtime";
import type { CursoredEvent } from "./encode-frame.ts";
import type { FrameEncoding } from "./frame-encoding.ts";
import { type NodeResponse, openNodeOutlet } from "./node-outlet.ts";
import { GONE, type OpenedOutlet } from "./outlet.ts";
import { PlainFrames } from "./plain-frames.ts";
import { pumpEvents, type StreamHost } from "./pump-events.ts";
import type { StreamSlot } from "./stream-slots.ts";

export const STREAM_HEADERS: Readonly<Record<string, string>> = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-store, no-transform",
  "x-accel-buffering": "no",
};

/** An HTTP exchange as far as a stream looks at it. */
export interface StreamExchange {
  readonly context: { readonly req: { readonly raw: Request }; readonly env?: { readonly outgoing?: NodeResponse } };
  readonly host: StreamHost;
  readonly headers: Readonly<Record<string, string>>;
  readonly slot?: StreamSlot;
}

/** Answers with a stream of events. `read` gets a signal that aborts when the client is gone. */
export function respondWithEvents(
  exchange: StreamExchange,
  read: (signal: AbortSignal) => EventIterator<CursoredEvent>,
  own: Readonly<Record<string, string>>,
  encoding: FrameEncoding = new PlainFrames(),
): Response {
  return respondWithFrames(exchange, read, own, encoding);
}

/** The same with a stream of anything. */
export function respondWithFrames<Item>(
  exchange: StreamExchange,
  read: (signal: AbortSignal) => EventIterator<Item>,
  own: Readonly<Record<string, string>>,
  encoding: FrameEncoding<Item>,
): Response {
  const { context, host, headers: common, slot } = exchange;
  const headers = { ...common, ...STREAM_HEADERS, ...own };
  if (context.req.raw.method === "HEAD") return new Response(null, { headers });
  const { limits } = host.streams;
  if (slot === undefined) throw new TypeError("A route that streams says so, and a slot is kept for it.");
  // Only Node gives something to bind to; elsewhere there is no such object at all.
  const outgoing = context.env?.outgoing;
  const { outlet, response } =
    outgoing === undefined
      ? openBodyOutlet(headers, limits.maxBufferedBytes)
      : openNodeOutlet(outgoing, headers, limits);
  void pumpEvents(host, slot, outlet, read(outlet.gone), encoding);
  return response;
}

/** The same on any platform: the body of a response, read by the platform that sends it. */
function openBodyOutlet(headers: Readonly<Record<string, string>>, maxBufferedBytes: number): OpenedOutlet {
  const gone = new AbortController();
  const encoder = new TextEncoder();
  let wake = (): void => undefined;
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const leave = (): void => {
    controller = undefined;
    gone.abort(GONE);
    wake();
  };
  const body = new ReadableStream<Uint8Array>(
    {
      start(opened) {
        controller = opened;
      },
      pull: () => wake(),
      cancel: leave,
    },
    { highWaterMark: maxBufferedBytes, size: (chunk) => chunk?.byteLength ?? 0 },
  );
  const hasRoom = (): boolean => (controller?.desiredSize ?? 1) > 0;
  return {
    response: new Response(body, { status: 200, headers }),
    outlet: {
      gone: gone.signal,
      get hasRoom() {
        return hasRoom();
      },
      write(text) {
        controller?.enqueue(encoder.encode(text));
      },
      room: () =>
        new Promise((resolve) => {
          wake = resolve;
          if (hasRoom()) resolve();
        }),
      end() {
        controller?.close();
        leave();
      },
      drop() {
        controller?.error(new Error("The client did not read."));
        leave();
      },
    },
  };
}
