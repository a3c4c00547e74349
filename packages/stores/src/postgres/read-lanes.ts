import { RepriseError } from "@reprise/contracts";
import type { Results } from "./session.ts";
import type { Query } from "./statement.ts";

/** Sends queries in one round trip. */
export type Send = (queries: readonly Query[]) => Promise<Results>;

interface Waiting {
  readonly queries: readonly Query[];
  resolve(results: Results): void;
  reject(error: unknown): void;
}

/** The most queries in one round trip: beyond this it is no longer the round trip that costs. */
const MAX_QUERIES = 60;

/**
 * Puts reads that wait into one round trip: whatever came while those before were under way goes together. A reader alone is
 * sent at once. Reads change nothing, so when one of several fails, each is sent again by itself, and only the one whose fault
 * it is fails.
 */
export class ReadLanes {
  readonly #send: Send;
  readonly #lanes: number;
  #queue: Waiting[] = [];
  #underWay = 0;
  #isScheduled = false;

  constructor(send: Send, lanes: number) {
    this.#send = send;
    this.#lanes = lanes;
  }

  read(queries: readonly Query[]): Promise<Results> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ queries, resolve, reject });
      this.#schedule();
    });
  }

  /** After this step: what is asked for in the same one goes together. */
  #schedule(): void {
    if (this.#isScheduled || this.#underWay >= this.#lanes) return;
    this.#isScheduled = true;
    queueMicrotask(() => {
      this.#isScheduled = false;
      this.#start();
    });
  }

  #start(): void {
    while (this.#queue.length > 0 && this.#underWay < this.#lanes) {
      this.#underWay += 1;
      void this.#work(this.#take()).finally(() => {
        this.#underWay -= 1;
        this.#start();
      });
    }
  }

  #take(): readonly Waiting[] {
    let [count, queries] = [0, 0];
    for (const waiting of this.#queue) {
      queries += waiting.queries.length;
      if (count > 0 && queries > MAX_QUERIES) break;
      count += 1;
    }
    return this.#queue.splice(0, count);
  }

  /** Never rejects: whatever happens, every reader is told. */
  async #work(batch: readonly Waiting[]): Promise<void> {
    try {
      const results = await this.#send(batch.flatMap(({ queries }) => queries));
      let from = 0;
      for (const { queries, resolve } of batch) {
        resolve(results.slice(from, from + queries.length));
        from += queries.length;
      }
    } catch (error) {
      // A server that is away is away for each of them.
      const isShared = batch.length === 1 || RepriseError.is(error, "STORE_UNAVAILABLE");
      for (const { queries, resolve, reject } of batch) {
        if (isShared) reject(error);
        else await this.#send(queries).then(resolve, reject);
      }
    }
  }
}
