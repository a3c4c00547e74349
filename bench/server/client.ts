import { connect } from "node:net";

export interface Request {
  readonly port: number;
  readonly method?: "GET" | "POST";
  readonly path: string;
  readonly body?: object;
}

/** A stream that is being read by as little code as can be: the client shares the machine with the server it measures. */
export interface Reading {
  /** Resolves when the server closed the stream. */
  readonly ended: Promise<void>;
  pause(): void;
  close(): void;
}

/** Sends a request and hands out what comes, as bytes. */
export function open({ port, method = "GET", path, body }: Request, onBytes: (bytes: Buffer) => void): Reading {
  const socket = connect({ port, host: "127.0.0.1" });
  const content = body === undefined ? "" : JSON.stringify(body);
  const type = body === undefined ? "" : "content-type: application/json\r\n";
  const length = `content-length: ${Buffer.byteLength(content)}\r\n`;
  socket.setNoDelay(true);
  socket.on("data", onBytes);
  socket.write(
    `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nconnection: close\r\n${type}${length}\r\n${content}`,
  );
  const ended = new Promise<void>((resolve, reject) => {
    socket.on("close", () => resolve());
    socket.on("error", reject);
  });
  return { ended, pause: () => void socket.pause(), close: () => void socket.destroy() };
}

/** A run over HTTP. */
export function startRun(port: number, order: string, onBytes: (bytes: Buffer) => void, threadId?: string): Reading {
  const body = { agentId: "bench", messages: [{ role: "user", content: order }], ...(threadId && { threadId }) };
  return open({ port, method: "POST", path: "/v1/runs", body }, onBytes);
}

const FRAME_END = Buffer.from("\n\n");

/** How many frames end in these bytes. One that is cut between two reads is missed now and then, for everybody alike. */
export function countFrames(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(FRAME_END); at >= 0; at = bytes.indexOf(FRAME_END, at + 2)) count += 1;
  return count;
}
