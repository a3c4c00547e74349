import type { Json } from "@reprise/state";
import type { WorkerHandle } from "../fleet/worker-handle.ts";
import type { SeededRandom } from "../random/seeded-random.ts";
import type { Refusal, WorkerAsk } from "../wire/worker-messages.ts";
import { pauseFor } from "../workload/pause-for.ts";
import { Client, type Reply } from "./client.ts";
import type { WitnessLog } from "./witness-log.ts";

/** How a request ended once somebody answered for it. */
export type Definite = { readonly answer: Json } | { readonly refusal: Refusal };

/** Who takes longer than this is not waited for: a worker may be held, or its store may be away. */
const PATIENCE_MS = 5_000;

/** Refusals that say "not now": the same request may succeed later. */
const FOR_LATER: readonly string[] = ["STORE_UNAVAILABLE", "STORAGE_FULL", "RUNTIME_CLOSED", "STORE_OWNED"];

/** A client's ways to whichever workers live. */
export class Connections {
  readonly log: WitnessLog;
  readonly #workers: readonly WorkerHandle[];
  readonly #random: SeededRandom;
  readonly #clients = new Map<string, Client>();
  readonly #signal: AbortSignal;

  constructor(workers: readonly WorkerHandle[], log: WitnessLog, random: SeededRandom, signal: AbortSignal) {
    this.#workers = workers;
    this.log = log;
    this.#random = random;
    this.#signal = signal;
  }

  /** A connection to some worker that answers; waits until there is one. */
  async any(): Promise<Client> {
    for (;;) {
      this.#signal.throwIfAborted();
      const [first, ...others] = this.#workers.filter(({ isResponsive }) => isResponsive);
      const client = first === undefined ? undefined : await this.#connect(this.#random.pick([first, ...others]));
      if (client !== undefined) return client;
      await pauseFor(10, this.#signal);
    }
  }

  /** Asks once. */
  async ask(ask: WorkerAsk): Promise<Reply> {
    const client = await this.any();
    const asked = client.ask(ask);
    const timeout = new AbortController();
    const isSlow = pauseFor(PATIENCE_MS, timeout.signal).then(
      () => true,
      () => false,
    );
    const first = await Promise.race([asked, isSlow]);
    timeout.abort();
    if (typeof first === "object") return first;
    // Whatever it may still say comes too late for us; the connection goes with it.
    client.close();
    return asked;
  }

  /** Asks until somebody has answered for it. Only for what may be asked twice. */
  async askUntilDefinite(ask: WorkerAsk): Promise<Definite> {
    for (;;) {
      const reply = await this.ask(ask);
      if ("answer" in reply) return reply;
      if ("refusal" in reply && !FOR_LATER.includes(reply.refusal.code)) return reply;
      await pauseFor(20, this.#signal);
    }
  }

  close(): void {
    for (const client of this.#clients.values()) client.close();
  }

  async #connect(worker: WorkerHandle): Promise<Client | undefined> {
    const key = worker.socket;
    const known = this.#clients.get(key);
    if (known?.isOpen === true) return known;
    const client = await Client.connect(worker, this.log);
    if (client === undefined) this.#clients.delete(key);
    else this.#clients.set(key, client);
    return client;
  }
}
