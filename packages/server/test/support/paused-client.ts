import { connect } from "node:net";
import { onTestFinished } from "vitest";

/** A client that asks and does not read, until it is told to. */
export interface PausedClient {
  /** Everything that comes until the connection ends, without what HTTP puts around it. */
  readRest(): Promise<string>;
}

/** Sends a GET request over a bare socket. */
export async function askWithoutReading(port: number, path: string): Promise<PausedClient> {
  const socket = connect(port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  socket.pause();
  await new Promise<void>((resolve, reject) => {
    socket.once("error", reject);
    socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`, () => resolve());
  });
  return {
    async readRest() {
      const parts: Buffer[] = [];
      socket.on("data", (part: Buffer) => parts.push(part));
      // A connection that is cut may say so as an error; what came before it counts all the same.
      socket.on("error", () => undefined);
      const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
      socket.resume();
      await closed;
      return dechunk(Buffer.concat(parts).toString("latin1"));
    },
  };
}

/** The body of a chunked response; its last chunk may be cut off. */
function dechunk(response: string): string {
  let rest = response.slice(response.indexOf("\r\n\r\n") + 4);
  let body = "";
  for (;;) {
    const end = rest.indexOf("\r\n");
    const length = end < 0 ? 0 : Number.parseInt(rest.slice(0, end), 16);
    if (!(length > 0)) return body;
    body += rest.slice(end + 2, end + 2 + length);
    rest = rest.slice(end + 2 + length + 2);
  }
}
