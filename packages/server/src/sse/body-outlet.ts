import { GONE, type OpenedOutlet } from "./outlet.ts";

/** The same on any platform: the body of a response, read by whoever sends it. */
export function openBodyOutlet(headers: Readonly<Record<string, string>>, maxBufferedBytes: number): OpenedOutlet {
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
