import { connect, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** A way to the server that can be cut. */
export interface CuttingProxy {
  readonly url: string;
  /** From now on: the first answer to something that holds this text is swallowed, and its connection cut. */
  cutAnswerTo(text: string): void;
  readonly cuts: number;
  /** From now on nothing gets through. */
  close(): void;
}

/** Stands between a store and its server. It is closed with the test. */
export async function startCuttingProxy(serverUrl: string, ownPort = 0): Promise<CuttingProxy> {
  const target = new URL(serverUrl);
  const sockets = new Set<Socket>();
  let wanted: string | undefined;
  let cuts = 0;
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    let isCut = false;
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        client.destroy();
        upstream.destroy();
      });
    }
    client.on("data", (chunk) => {
      if (wanted !== undefined && chunk.includes(wanted)) {
        wanted = undefined;
        isCut = true;
      }
      upstream.write(chunk);
    });
    upstream.on("data", (chunk) => {
      if (!isCut) return client.write(chunk);
      // The server has answered, so the work is done; the answer is lost.
      cuts += 1;
      client.destroy();
      return false;
    });
  });
  await new Promise<void>((resolve) => server.listen(ownPort, "127.0.0.1", resolve));
  const close = (): void => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  onTestFinished(close);
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const url = new URL(serverUrl);
  url.port = String(port);
  return {
    url: url.href,
    cutAnswerTo(text) {
      wanted = text;
    },
    get cuts() {
      return cuts;
    },
    close,
  };
}
