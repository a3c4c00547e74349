import { connect, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** A connection that says what it is told to, and listens. Ends with the test. */
export function openSocket(url: string, words = ""): Socket {
  const { port, hostname } = new URL(url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  // One that is cut off may say so as an error.
  socket.on("error", () => undefined);
  socket.resume();
  if (words !== "") socket.write(words);
  return socket;
}

/** The head of a request, with whatever is given and without its end. */
export function headOf(method: string, path: string, headers: Readonly<Record<string, string>>): string {
  const lines = Object.entries({ Host: "localhost", ...headers }).map(([name, value]) => `${name}: ${value}`);
  return [`${method} ${path} HTTP/1.1`, ...lines].join("\r\n");
}

export function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => (socket.closed ? resolve() : socket.once("close", () => resolve())));
}

/** How many bytes come until the other side ends it, by somebody who did not read so far. */
export async function countRest(socket: Socket): Promise<number> {
  let heard = 0;
  socket.on("data", (part: Buffer) => {
    heard += part.length;
  });
  socket.resume();
  await closed(socket);
  return heard;
}
