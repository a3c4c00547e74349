import type { WorkerHandle } from "../fleet/worker-handle.ts";
import { HttpTransport } from "./http-transport.ts";
import { SocketTransport } from "./socket-transport.ts";
import type { Asked, Reply, StreamListener, StreamRequest, Transport } from "./transport.ts";
import type { WitnessLog } from "./witness-log.ts";

/** By which way clients reach a worker. */
export type ClientKind = "socket" | "http";

/** Numbers of requests and streams, over all clients of a rig. */
let lastNumber = 0;

/** One client of one life of a worker. Everything that goes through it is witnessed, whatever its way. */
export class Client {
  readonly worker: string;
  readonly #log: WitnessLog;
  readonly #transport: Transport;

  private constructor(worker: string, log: WitnessLog, transport: Transport) {
    this.worker = worker;
    this.#log = log;
    this.#transport = transport;
  }

  /** Connects to a worker; undefined when it does not answer. */
  static async connect(worker: WorkerHandle, kind: ClientKind, log: WitnessLog): Promise<Client | undefined> {
    const { name, socket } = worker;
    const local = await SocketTransport.connect(socket);
    if (local === undefined || kind === "socket") return local && new Client(name, log, local);
    if (worker.socket === socket && worker.url !== "")
      return new Client(name, log, new HttpTransport(worker.url, local));
    // It is only just coming up, or is already another one.
    local.close();
    return undefined;
  }

  get isOpen(): boolean {
    return this.#transport.isOpen;
  }

  /** Asks and waits for what comes of it. */
  async ask(ask: Asked): Promise<Reply> {
    lastNumber += 1;
    const request = lastNumber;
    this.#log.note({ type: "asked", request, worker: this.worker, ask });
    const reply = await this.#transport.ask(ask);
    if ("answer" in reply) this.#log.note({ type: "answered", request, answer: reply.answer });
    else if ("refusal" in reply) this.#log.note({ type: "refused", request, refusal: reply.refusal });
    else this.#log.note({ type: "lost", request });
    return reply;
  }

  /** Opens a stream of a run's events; returns the way to end it. */
  listen(wanted: StreamRequest, listener: StreamListener): () => void {
    lastNumber += 1;
    const stream = lastNumber;
    const { run_id, after } = wanted;
    const place = after === undefined ? {} : { after };
    this.#log.note({ type: "stream_opened", stream, run_id, ...place });
    let isOpen = true;
    const close = (reason: string): void => {
      if (!isOpen) return;
      isOpen = false;
      this.#log.note({ type: "stream_closed", stream, reason });
      listener.closed(reason);
    };
    const end = this.#transport.listen(wanted, {
      event: (event, cursor) => {
        if (!isOpen) return;
        this.#log.note({ type: "event", stream, cursor, event });
        listener.event(event, cursor);
      },
      closed: close,
    });
    return () => {
      end();
      close("cut by the client");
    };
  }

  close(): void {
    this.#transport.close();
  }
}
