import { connect, type Socket } from "node:net";

/** A conversation over a local socket, one JSON value a line. */
export interface LineSocket {
  send(message: unknown): void;
  /** Resolves when everything sent so far was handed to the system. */
  flush(): Promise<void>;
  readonly isOpen: boolean;
  close(): void;
}

export interface LineListener {
  message(message: unknown): void;
  closed(): void;
}

/** Speaks lines over a socket. A line that is cut off by the end of the connection is not told. */
export function speakLines(socket: Socket, listener: LineListener): LineSocket {
  let rest = "";
  let isOpen = true;
  socket.setEncoding("utf8");
  socket.on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (isOpen) listener.message(JSON.parse(line));
  });
  // A process that dies is heard of by "close", which follows.
  socket.on("error", () => {});
  socket.on("close", () => {
    isOpen = false;
    listener.closed();
  });
  return {
    send(message) {
      if (isOpen) socket.write(`${JSON.stringify(message)}\n`);
    },
    flush: () =>
      new Promise((resolve) => {
        if (!isOpen || socket.writableLength === 0) resolve();
        else socket.write("", () => resolve());
      }),
    get isOpen() {
      return isOpen;
    },
    close() {
      isOpen = false;
      socket.destroy();
    },
  };
}

/** Connects to a local socket; undefined when there is no listener. */
export function connectLines(path: string, listener: LineListener): Promise<LineSocket | undefined> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once("error", () => resolve(undefined));
    socket.once("connect", () => resolve(speakLines(socket, listener)));
  });
}
