import { storeClosed } from "./postgres-errors.ts";

/** Work on one thread that waits for its batch. */
export interface Waiting {
  /** The tenant and the id of the thread. */
  readonly thread: string;
}

interface LanePorts<Item> {
  /** How many batches may be under way at the same time, each on its own connection. */
  readonly lanes: number;
  /** The largest batch: beyond this a round trip is no longer what costs. */
  readonly maxBatch: number;
  /** Never rejects: everybody in the batch is told. */
  work(batch: readonly Item[]): Promise<void>;
}

/**
 * Puts work that waits into batches: whatever came while the batches before were under way goes together. Work on one thread is
 * done in its order, in different batches.
 */
export class Lanes<Item extends Waiting> {
  readonly #ports: LanePorts<Item>;
  readonly #busy = new Set<string>();
  #queue: Item[] = [];
  #underWay = 0;
  #isScheduled = false;
  #isClosed = false;
  #onIdle: (() => void) | undefined;

  constructor(ports: LanePorts<Item>) {
    this.#ports = ports;
  }

  add(item: Item): void {
    if (this.#isClosed) throw storeClosed();
    this.#queue.push(item);
    this.#schedule();
  }

  /** Waits until everything that was asked for is done. Nothing new is taken. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#underWay === 0 && this.#queue.length === 0) return;
    await new Promise<void>((resolve) => {
      this.#onIdle = resolve;
    });
  }

  /** After this turn of the event loop: what is asked for in the same turn goes together. */
  #schedule(): void {
    if (this.#isScheduled || this.#underWay >= this.#ports.lanes) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#start();
    });
  }

  #start(): void {
    if (this.#underWay >= this.#ports.lanes) return;
    const batch = this.#take();
    if (batch.length > 0) {
      this.#underWay += 1;
      for (const { thread } of batch) this.#busy.add(thread);
      void this.#ports.work(batch).finally(() => {
        this.#underWay -= 1;
        for (const { thread } of batch) this.#busy.delete(thread);
        this.#start();
      });
    } else if (this.#underWay === 0 && this.#queue.length === 0) this.#onIdle?.();
  }

  /** The first waiting work of each thread on which nothing is under way. */
  #take(): readonly Item[] {
    const batch: Item[] = [];
    const left: Item[] = [];
    const seen = new Set(this.#busy);
    for (const waiting of this.#queue) {
      if (batch.length < this.#ports.maxBatch && !seen.has(waiting.thread)) batch.push(waiting);
      else left.push(waiting);
      seen.add(waiting.thread);
    }
    this.#queue = left;
    return batch;
  }
}

export function laneOf(tenant: string, threadId: string): string {
  return JSON.stringify([tenant, threadId]);
}
