import { connect, createServer, type Server, type Socket } from "node:net";
import { type Frame, FrameReader, leadingTexts } from "./postgres-frames.ts";

/** On which side of a COMMIT the way is cut: the server never hears it, or the client never hears that it happened. */
export type CommitCut = "before" | "after";

/** A way to a Postgres server that can be cut at a COMMIT, fall silent, or be slow. */
export class PostgresProxy {
  readonly #target: URL;
  readonly #server: Server;
  readonly #pairs = new Set<Pair>();
  #cut: { readonly side: CommitCut; readonly happened: () => void } | undefined;
  #delayMs = 0;

  private constructor(target: URL) {
    this.#target = target;
    this.#server = createServer((client) => this.#accept(client));
  }

  static async start(serverUrl: string): Promise<PostgresProxy> {
    const proxy = new PostgresProxy(new URL(serverUrl));
    await new Promise<void>((resolve) => proxy.#server.listen(0, "127.0.0.1", resolve));
    return proxy;
  }

  get url(): string {
    const address = this.#server.address();
    const url = new URL(this.#target);
    url.port = String(typeof address === "object" && address !== null ? address.port : 0);
    return url.href;
  }

  /** Cuts the connection of the next COMMIT; resolves when that has happened. */
  cutNextCommit(side: CommitCut): Promise<void> {
    return new Promise((resolve) => {
      this.#cut = { side, happened: resolve };
    });
  }

  /** Loses everything that is on its way on the connections there are, without a word to either end. */
  goSilent(): void {
    for (const pair of this.#pairs) pair.isSilent = true;
  }

  /** Makes every message late. */
  slowDown(delayMs: number): void {
    this.#delayMs = delayMs;
  }

  heal(): void {
    this.#cut = undefined;
    this.#delayMs = 0;
  }

  close(): void {
    for (const pair of this.#pairs) pair.destroy();
    this.#server.close();
  }

  #accept(client: Socket): void {
    const upstream = connect(Number(this.#target.port), this.#target.hostname);
    const pair = new Pair(client, upstream);
    this.#pairs.add(pair);
    for (const socket of [client, upstream]) {
      // A proxy that waits for more to send would be a fault of its own.
      socket.setNoDelay(true);
      socket.on("error", () => {});
      socket.on("close", () => {
        this.#pairs.delete(pair);
        // An end that fell silent does not hear of the other's.
        if (!pair.isSilent) pair.destroy();
      });
    }
    client.on("data", (chunk) => this.#later(() => pair.fromClient(chunk, () => this.#takeCut("before"))));
    upstream.on("data", (chunk) => this.#later(() => pair.fromServer(chunk, () => this.#takeCut("after"))));
  }

  #later(work: () => void): void {
    if (this.#delayMs === 0) work();
    else setTimeout(work, this.#delayMs);
  }

  #takeCut(side: CommitCut): boolean {
    if (this.#cut?.side !== side) return false;
    this.#cut.happened();
    this.#cut = undefined;
    return true;
  }
}

function forward(frames: readonly Frame[], socket: Socket): void {
  if (frames.length > 0) socket.write(Buffer.concat(frames.map(({ bytes }) => bytes)));
}

/** One connection through the proxy. */
class Pair {
  isSilent = false;
  readonly #client: Socket;
  readonly #upstream: Socket;
  readonly #asked = new FrameReader({ isClient: true });
  readonly #answered = new FrameReader({ isClient: false });
  /** The names under which this connection knows COMMIT. */
  readonly #commits = new Set<string>();

  constructor(client: Socket, upstream: Socket) {
    this.#client = client;
    this.#upstream = upstream;
  }

  fromClient(chunk: Buffer, takeCut: () => boolean): void {
    if (this.isSilent) return;
    const frames = this.#asked.read(chunk);
    if (frames.filter((frame) => this.#isCommit(frame)).length > 0 && takeCut()) return this.destroy();
    forward(frames, this.#upstream);
  }

  fromServer(chunk: Buffer, takeCut: () => boolean): void {
    if (this.isSilent) return;
    const frames = this.#answered.read(chunk);
    const isCommitted = frames.some((frame) => frame.type === "C" && leadingTexts(frame, 1)[0] === "COMMIT");
    if (isCommitted && takeCut()) return this.destroy();
    forward(frames, this.#client);
  }

  destroy(): void {
    this.#client.destroy();
    this.#upstream.destroy();
  }

  /** Whether a message has COMMIT executed: by its name, which an earlier one gave it. */
  #isCommit(frame: Frame): boolean {
    const [first = "", second = ""] = leadingTexts(frame, 2);
    if (frame.type === "P" && second === "commit") this.#commits.add(first);
    return frame.type === "B" && this.#commits.has(second);
  }
}
