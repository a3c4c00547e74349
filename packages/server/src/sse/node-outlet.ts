import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { StreamLimits } from "./open-streams.ts";
import { GONE, type OpenedOutlet } from "./outlet.ts";

/** What is needed of Node's response, in words of our own: who builds for another platform need not know Node's. */
export interface NodeResponse {
  writeHead(status: number, headers: Readonly<Record<string, string>>): unknown;
  write(text: string): unknown;
  end(): unknown;
  destroy(): unknown;
  setTimeout(milliseconds: number): unknown;
  on(event: "drain" | "close" | "error", listener: () => void): unknown;
  readonly writableLength: number;
  readonly writableEnded: boolean;
}

/** Writes straight to the socket: a stream in between would cost every write a promise and a copy. */
export function openNodeOutlet(
  outgoing: NodeResponse,
  headers: Readonly<Record<string, string>>,
  { maxBufferedBytes, patienceMs }: Pick<StreamLimits, "maxBufferedBytes" | "patienceMs">,
): OpenedOutlet {
  const gone = new AbortController();
  let wake = (): void => undefined;
  let farewell: ReturnType<typeof setTimeout> | undefined;
  const hasRoom = (): boolean => gone.signal.aborted || outgoing.writableLength < maxBufferedBytes;
  outgoing.on("drain", () => wake());
  outgoing.on("close", () => {
    clearTimeout(farewell);
    gone.abort(GONE);
    wake();
  });
  // A socket that breaks says so here too; it is closed in any case.
  outgoing.on("error", () => undefined);
  // A stream may be silent for as long as it likes; who does not read it is dropped by the pump.
  outgoing.setTimeout(0);
  outgoing.writeHead(200, headers);
  return {
    response: RESPONSE_ALREADY_SENT,
    outlet: {
      gone: gone.signal,
      get hasRoom() {
        return hasRoom();
      },
      write(text) {
        if (!gone.signal.aborted && !outgoing.writableEnded) outgoing.write(text);
      },
      room: () =>
        new Promise((resolve) => {
          wake = resolve;
          if (hasRoom()) resolve();
        }),
      end() {
        if (gone.signal.aborted || outgoing.writableEnded) return;
        outgoing.end();
        // A client that does not read the end either would keep what is buffered for it for ever.
        farewell = setTimeout(() => outgoing.destroy(), patienceMs);
      },
      drop: () => void outgoing.destroy(),
    },
  };
}
