import type { Json } from "@reprise/state";
import type { WorkerHandle } from "../fleet/worker-handle.ts";
import type { SeededRandom } from "../random/seeded-random.ts";
import type { Refusal } from "../wire/worker-messages.ts";
import { agentOf } from "../workload/generation.ts";
import { pauseFor } from "../workload/pause-for.ts";
import { Client, type ClientKind } from "./client.ts";
import type { Asked, Reply } from "./transport.ts";
import type { WitnessLog } from "./witness-log.ts";

/** How a request ended once somebody answered for it. */
export type Definite = { readonly answer: Json } | { readonly refusal: Refusal };

/** Who takes longer than this is not waited for: a worker may be held, or its store may be away. */
const PATIENCE_MS = 5_000;

/** How long a client waits before it asks again. */
const AGAIN_MS = 100;

/** Refusals that say "not now": the same request may succeed later. */
const FOR_LATER: readonly string[] = [
  "STORE_UNAVAILABLE",
  "STORAGE_FULL",
  "RUNTIME_CLOSED",
  "STORE_OWNED",
  // This process does not know the agent; one that is deployed next to it does, or soon will.
  "AGENT_NOT_FOUND",
  // Another process works on the same request; later there is an answer.
  "UNDER_WAY",
];

export interface ConnectionsOptions {
  readonly workers: readonly WorkerHandle[];
  readonly log: WitnessLog;
  readonly random: SeededRandom;
  readonly signal: AbortSignal;
  readonly kind: ClientKind;
}

/** A client's ways to whichever workers live. */
export class Connections {
  readonly log: WitnessLog;
  readonly #workers: readonly WorkerHandle[];
  readonly #random: SeededRandom;
  readonly #clients = new Map<string, Client>();
  readonly #signal: AbortSignal;
  readonly #kind: ClientKind;

  constructor({ workers, log, random, signal, kind }: ConnectionsOptions) {
    this.#workers = workers;
    this.log = log;
    this.#random = random;
    this.#signal = signal;
    this.#kind = kind;
  }

  /** By which way this client speaks. */
  get kind(): ClientKind {
    return this.#kind;
  }

  /** An agent of the newest generation there is, or one that all of them know. */
  chooseAgent(random: SeededRandom): string {
    const newest = Math.max(...this.#workers.map(({ generation }) => generation.number));
    return agentOf(random.chance(0.5) ? newest : 0);
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
  async ask(ask: Asked): Promise<Reply> {
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
  async askUntilDefinite(ask: Asked): Promise<Definite> {
    for (;;) {
      const reply = await this.ask(ask);
      if ("answer" in reply) return reply;
      if ("refusal" in reply && !FOR_LATER.includes(reply.refusal.code)) return reply;
      await pauseFor(AGAIN_MS, this.#signal);
    }
  }

  close(): void {
    for (const client of this.#clients.values()) client.close();
  }

  async #connect(worker: WorkerHandle): Promise<Client | undefined> {
    const key = worker.socket;
    const known = this.#clients.get(key);
    if (known?.isOpen === true) return known;
    const client = await Client.connect(worker, this.#kind, this.log);
    if (client === undefined) this.#clients.delete(key);
    else this.#clients.set(key, client);
    return client;
  }
}
