import type { WorkerHandle } from "../fleet/worker-handle.ts";
import type { SeededRandom } from "../random/seeded-random.ts";
import type { Clients } from "../round/round-options.ts";
import { FLOW_PREFIX } from "../workload/flow-document.ts";
import { TREE_PREFIX } from "../workload/run-script.ts";
import { Connections } from "./connections.ts";
import { ThreadDriver } from "./thread-driver.ts";
import type { WitnessLog } from "./witness-log.ts";

export interface TrafficOptions {
  readonly workers: readonly WorkerHandle[];
  readonly log: WitnessLog;
  readonly random: SeededRandom;
  /** How many threads are talked to at the same time. */
  readonly threads: number;
  readonly clients: Clients;
  readonly decidesEarly: boolean;
  /** Whether runs have runs below them. */
  readonly trees: boolean;
  /** Whether runs are workflows. */
  readonly workflows: boolean;
}

/** Clients that keep the workers busy: whenever one is through with its thread, another begins a new one. */
export class Traffic {
  readonly #options: TrafficOptions;
  readonly #aborted = new AbortController();
  #lanes: Promise<unknown> = Promise.resolve();
  #isEnding = false;
  #failure: unknown;

  constructor(options: TrafficOptions) {
    this.#options = options;
  }

  begin(): void {
    const lanes = Array.from({ length: this.#options.threads }, (_, lane) => this.#drive(lane));
    this.#lanes = Promise.all(lanes);
  }

  /** Lets what was begun come to its end, and begins nothing more. Resolves when nothing is left; false when it takes too long. */
  async end(withinMs: number): Promise<boolean> {
    this.#isEnding = true;
    const timeout = Promise.withResolvers<false>();
    const timer = setTimeout(() => timeout.resolve(false), withinMs);
    const isOver = await Promise.race([this.#lanes.then(() => true), timeout.promise]);
    clearTimeout(timer);
    if (this.#failure !== undefined) throw this.#failure;
    return isOver;
  }

  abort(): void {
    this.#aborted.abort();
  }

  async #drive(lane: number): Promise<void> {
    const { workers, log, random, clients, decidesEarly, trees, workflows } = this.#options;
    const kind = clients === "both" ? (lane % 2 === 0 ? "http" : "socket") : clients;
    const { signal } = this.#aborted;
    for (let number = 1; !this.#isEnding && !signal.aborted; number++) {
      const own = random.branch(`${lane}/${number}`);
      const connections = new Connections({ workers, log, random: own.branch("connections"), signal, kind });
      const isEnding = (): boolean => this.#isEnding;
      const thread_id = `${workflows ? FLOW_PREFIX : trees ? TREE_PREFIX : "t"}${lane}-${number}`;
      const driver = new ThreadDriver({ thread_id, connections, random: own, isEnding, decidesEarly });
      try {
        await driver.drive();
      } catch (error) {
        // A witness that breaks proves nothing; one that is told to stop does.
        if (!signal.aborted) this.#failure ??= error;
        return;
      } finally {
        connections.close();
      }
    }
  }
}
