import { connectLines, type LineSocket } from "../wire/json-lines.ts";
import type { ReplyLine } from "../wire/worker-messages.ts";
import type { Asked, Reply, StreamListener, StreamRequest, Transport } from "./transport.ts";

/** The rig's own protocol over a local socket: reaches everything, also what HTTP has no route for. */
export class SocketTransport implements Transport {
  readonly #waiting = new Map<number, (reply: Reply) => void>();
  readonly #streams = new Map<number, StreamListener>();
  #lines: LineSocket | undefined;
  #lastNumber = 0;

  private constructor() {}

  /** Connects to where a worker listens; undefined when it does not answer. */
  static async connect(path: string): Promise<SocketTransport | undefined> {
    const transport = new SocketTransport();
    transport.#lines = await connectLines(path, {
      // Only workers of the rig answer here.
      message: (message) => transport.#hear(message as ReplyLine),
      closed: () => transport.close(),
    });
    return transport.isOpen ? transport : undefined;
  }

  get isOpen(): boolean {
    return this.#lines?.isOpen === true;
  }

  ask(ask: Asked): Promise<Reply> {
    this.#lastNumber += 1;
    const id = this.#lastNumber;
    return new Promise((resolve) => {
      if (!this.isOpen) return resolve({ isLost: true });
      this.#waiting.set(id, resolve);
      this.#lines?.send({ id, ask });
    });
  }

  listen({ run_id, after, follow }: StreamRequest, listener: StreamListener): () => void {
    this.#lastNumber += 1;
    const sub = this.#lastNumber;
    const place = after === undefined ? {} : { after };
    this.#streams.set(sub, listener);
    this.#lines?.send({ id: sub, ask: { op: "subscribe", sub, run_id, follow, ...place } });
    if (!this.isOpen) this.#endStream(sub, "connection lost");
    return () => {
      this.#lines?.send({ id: sub, ask: { op: "unsubscribe", sub } });
      this.#streams.delete(sub);
    };
  }

  close(): void {
    this.#lines?.close();
    for (const resolve of this.#waiting.values()) resolve({ isLost: true });
    this.#waiting.clear();
    for (const sub of [...this.#streams.keys()]) this.#endStream(sub, "connection lost");
  }

  #hear(line: ReplyLine): void {
    if ("id" in line) {
      this.#waiting.get(line.id)?.("answer" in line ? { answer: line.answer } : { refusal: line.refusal });
      this.#waiting.delete(line.id);
    } else if ("ended" in line) this.#endStream(line.sub, line.ended);
    else this.#streams.get(line.sub)?.event(line.event, line.cursor);
  }

  #endStream(sub: number, reason: string): void {
    const listener = this.#streams.get(sub);
    this.#streams.delete(sub);
    listener?.closed(reason);
  }
}
