import type { AskOf, ReplyLine } from "../wire/worker-messages.ts";
import { refusalOf, type ServedWorker } from "./serve-clients.ts";

/** The event streams of one connection. */
export class Subscriptions {
  readonly #served: ServedWorker;
  readonly #send: (line: ReplyLine) => void;
  readonly #open = new Map<number, AbortController>();

  constructor(served: ServedWorker, send: (line: ReplyLine) => void) {
    this.#served = served;
    this.#send = send;
  }

  async open(ask: AskOf<"subscribe">): Promise<void> {
    const controller = new AbortController();
    this.#open.set(ask.sub, controller);
    const ended = await this.#pass(ask, controller.signal).catch((error: unknown) => refusalOf(error).code);
    this.#open.delete(ask.sub);
    if (!controller.signal.aborted) this.#send({ sub: ask.sub, ended });
  }

  end(sub: number): void {
    this.#open.get(sub)?.abort();
  }

  close(): void {
    for (const controller of this.#open.values()) controller.abort();
  }

  /** Passes events on until there are no more. */
  async #pass({ sub, run_id, after, follow }: AskOf<"subscribe">, signal: AbortSignal): Promise<string> {
    const { runtime, points, createDistortion } = this.#served;
    const distort = createDistortion();
    const run = await runtime.run(run_id);
    const options = { follow, signal, ...(after !== undefined && { after }) };
    for await (const { event, cursor } of run.eventsWithCursor(options)) {
      this.#send({ sub, event: distort(event), cursor });
      points.visit(`stream.${event.type}`);
    }
    return "end";
  }
}
