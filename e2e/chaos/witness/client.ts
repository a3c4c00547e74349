import type { AgentEvent } from "@reprise/contracts";
import type { Json } from "@reprise/state";
import type { WorkerHandle } from "../fleet/worker-handle.ts";
import { connectLines, type LineSocket } from "../wire/json-lines.ts";
import type { Refusal, ReplyLine, WorkerAsk } from "../wire/worker-messages.ts";
import type { WitnessLog } from "./witness-log.ts";

/** How a request ended, as far as its sender can know. */
export type Reply = { readonly answer: Json } | { readonly refusal: Refusal } | { readonly isLost: true };

export interface StreamListener {
  event(event: AgentEvent, cursor: string): void;
  /** No more comes: the stream is over, was refused, or the connection is lost. */
  closed(reason: string): void;
}

/** Numbers of requests and streams, over all clients of a rig. */
let lastNumber = 0;

/** One connection to one life of a worker. Everything that goes through it is witnessed. */
export class Client {
  readonly worker: string;
  readonly #log: WitnessLog;
  readonly #waiting = new Map<number, (reply: Reply) => void>();
  readonly #streams = new Map<number, StreamListener>();
  #lines: LineSocket | undefined;

  private constructor(worker: string, log: WitnessLog) {
    this.worker = worker;
    this.#log = log;
  }

  /** Connects to a worker; undefined when it does not answer. */
  static async connect(worker: WorkerHandle, log: WitnessLog): Promise<Client | undefined> {
    const client = new Client(worker.name, log);
    client.#lines = await connectLines(worker.socket, {
      // Only workers of the rig answer here.
      message: (message) => client.#hear(message as ReplyLine),
      closed: () => client.close(),
    });
    return client.isOpen ? client : undefined;
  }

  get isOpen(): boolean {
    return this.#lines?.isOpen === true;
  }

  /** Asks and waits for what comes of it. */
  ask(ask: WorkerAsk): Promise<Reply> {
    lastNumber += 1;
    const request = lastNumber;
    this.#log.note({ type: "asked", request, worker: this.worker, ask });
    return new Promise((resolve) => {
      if (!this.isOpen) return resolve(this.#lose(request));
      this.#waiting.set(request, resolve);
      this.#lines?.send({ id: request, ask });
    });
  }

  /** Opens a stream of a run's events; returns the way to end it. */
  listen(runId: string, after: string | undefined, follow: boolean, listener: StreamListener): () => void {
    lastNumber += 1;
    const sub = lastNumber;
    const place = after === undefined ? {} : { after };
    this.#log.note({ type: "stream_opened", stream: sub, run_id: runId, ...place });
    this.#streams.set(sub, listener);
    this.#lines?.send({ id: sub, ask: { op: "subscribe", sub, run_id: runId, follow, ...place } });
    if (!this.isOpen) this.#endStream(sub, "connection lost");
    return () => {
      this.#lines?.send({ id: sub, ask: { op: "unsubscribe", sub } });
      this.#endStream(sub, "cut by the client");
    };
  }

  close(): void {
    this.#lines?.close();
    for (const [request, resolve] of this.#waiting) resolve(this.#lose(request));
    this.#waiting.clear();
    for (const sub of [...this.#streams.keys()]) this.#endStream(sub, "connection lost");
  }

  #lose(request: number): Reply {
    this.#log.note({ type: "lost", request });
    return { isLost: true };
  }

  #hear(line: ReplyLine): void {
    if ("id" in line)
      return this.#settle(line.id, "answer" in line ? { answer: line.answer } : { refusal: line.refusal });
    const listener = this.#streams.get(line.sub);
    if (listener === undefined) return;
    if ("ended" in line) return this.#endStream(line.sub, line.ended);
    this.#log.note({ type: "event", stream: line.sub, cursor: line.cursor, event: line.event });
    listener.event(line.event, line.cursor);
  }

  #settle(request: number, reply: { readonly answer: Json } | { readonly refusal: Refusal }): void {
    const resolve = this.#waiting.get(request);
    if (resolve === undefined) return;
    this.#waiting.delete(request);
    if ("answer" in reply) this.#log.note({ type: "answered", request, answer: reply.answer });
    else this.#log.note({ type: "refused", request, refusal: reply.refusal });
    resolve(reply);
  }

  #endStream(sub: number, reason: string): void {
    const listener = this.#streams.get(sub);
    if (listener === undefined) return;
    this.#streams.delete(sub);
    this.#log.note({ type: "stream_closed", stream: sub, reason });
    listener.closed(reason);
  }
}
