import { RepriseError, type StoreSignal } from "@reprise/contracts";
import type { ThreadOperation } from "../kernel/request.ts";
import type { Database } from "./database.ts";
import { pauseBefore } from "./pause.ts";
import { doubtful, fromPostgresError, isConnectionLost, isRace, storeClosed } from "./postgres-errors.ts";
import { BatchFailure, type Operation, type Outcome, runBatch } from "./run-batch.ts";

/** What the batcher needs of the store. */
export interface BatcherPorts {
  readonly database: Database;
  /** The store's time, given the server's. */
  now(stored: number): number;
  tell(signals: readonly StoreSignal[]): void;
  /** How many batches may be under way at the same time, each on its own connection. */
  readonly lanes: number;
}

interface Waiting {
  readonly operation: Operation;
  readonly thread: string;
  attempts: number;
  resolve(answer: unknown): void;
  reject(error: unknown): void;
}

/** The largest batch: beyond this a round trip is no longer what costs. */
const MAX_BATCH = 200;

/** How often an operation is begun anew after a race or a lost connection. */
const MAX_ATTEMPTS = 5;

/**
 * Operations that may be done again when nobody knows whether they were done: the second time changes nothing and gives the
 * same answer. A commit is known by the id of its changeset.
 */
const REPEATABLE: ReadonlySet<ThreadOperation> = new Set<ThreadOperation>([
  "commit",
  "flush",
  "decide",
  "cancel",
  "update_thread",
  "save_snapshot",
  "renew",
  "release",
  "release_owner",
  "report_damage",
]);

/**
 * Puts operations that wait into batches: whatever came while the batches before were under way goes together. Operations on
 * one thread follow each other, in different batches.
 */
export class Batcher {
  readonly #ports: BatcherPorts;
  readonly #busy = new Set<string>();
  #queue: Waiting[] = [];
  #underWay = 0;
  #isScheduled = false;
  #isClosed = false;
  #onIdle: (() => void) | undefined;

  constructor(ports: BatcherPorts) {
    this.#ports = ports;
  }

  /** Does an operation; resolves when it is durable. The answer is the operation's own. */
  do<Answer>(operation: Operation): Promise<Answer> {
    if (this.#isClosed) return Promise.reject(storeClosed());
    const { tenant } = operation.demand;
    return new Promise((resolve, reject) => {
      const thread = JSON.stringify([tenant, operation.thread_id]);
      // Each operation is answered as its type says.
      this.#queue.push({ operation, thread, attempts: 0, resolve: resolve as (answer: unknown) => void, reject });
      this.#schedule();
    });
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
      void this.#work(batch).finally(() => {
        this.#underWay -= 1;
        for (const { thread } of batch) this.#busy.delete(thread);
        this.#start();
      });
    } else if (this.#underWay === 0 && this.#queue.length === 0) this.#onIdle?.();
  }

  /** The first waiting operation of each thread on which nothing is under way. */
  #take(): readonly Waiting[] {
    const batch: Waiting[] = [];
    const left: Waiting[] = [];
    const seen = new Set(this.#busy);
    for (const waiting of this.#queue) {
      if (batch.length < MAX_BATCH && !seen.has(waiting.thread)) batch.push(waiting);
      else left.push(waiting);
      seen.add(waiting.thread);
    }
    this.#queue = left;
    return batch;
  }

  /** Never rejects: whatever happens, everybody in the batch is told. */
  async #work(batch: readonly Waiting[]): Promise<void> {
    try {
      const operations = batch.map(({ operation }) => operation);
      const outcomes = await this.#ports.database.use((session) => runBatch(session, operations, this.#ports.now));
      this.#settle(batch, outcomes);
    } catch (error) {
      await this.#recover(batch, error);
    }
  }

  #settle(batch: readonly Waiting[], outcomes: readonly Outcome[]): void {
    // What was written is told before its writer goes on, so that nobody waits for news that are out.
    this.#ports.tell(outcomes.flatMap((outcome) => ("signals" in outcome ? outcome.signals : [])));
    for (const [index, { resolve, reject }] of batch.entries()) {
      const outcome = outcomes[index];
      if (outcome === undefined) reject(new RepriseError("INTERNAL", "An operation of a batch was lost."));
      else if ("refusal" in outcome) reject(fromPostgresError(outcome.refusal));
      else resolve(outcome.answer);
    }
  }

  /** After a failure of the database: those who may try again do, each by itself when one of them is the cause. */
  async #recover(batch: readonly Waiting[], failure: unknown): Promise<void> {
    const cause = failure instanceof BatchFailure ? failure.cause : failure;
    const inDoubt = failure instanceof BatchFailure && failure.inDoubt;
    const isLost = isConnectionLost(cause);
    const known = fromPostgresError(cause);
    const again: Waiting[] = [];
    for (const waiting of batch) {
      waiting.attempts += 1;
      const isRepeatable = !inDoubt || REPEATABLE.has(waiting.operation.request.operation);
      // Refused with others is not refused yet: one of them alone may be what the database did not like.
      const isTried = isLost ? isRepeatable : isRace(cause) || (batch.length > 1 && known.code !== "STORE_UNAVAILABLE");
      if (isTried && waiting.attempts < MAX_ATTEMPTS) again.push(waiting);
      else waiting.reject(inDoubt ? doubtful(known) : known);
    }
    if (isLost && again.length > 0) {
      await pauseBefore(Math.max(...again.map(({ attempts }) => attempts)));
      return this.#work(again);
    }
    for (const waiting of again) await this.#work([waiting]);
  }
}
