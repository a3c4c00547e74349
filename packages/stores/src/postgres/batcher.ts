import { RepriseError, type StoreSignal } from "@reprise/contracts";
import type { ThreadOperation } from "../kernel/request.ts";
import type { Database } from "./database.ts";
import { Lanes, laneOf, type Waiting } from "./lanes.ts";
import { pauseBefore } from "./pause.ts";
import { doubtful, fromPostgresError, isConnectionLost, isRace, tooLate } from "./postgres-errors.ts";
import { BatchFailure, type Operation, type Outcome, runBatch } from "./run-batch.ts";

/** What the batcher needs of the store. */
export interface BatcherPorts {
  readonly database: Database;
  /** The store's time, given the server's. */
  now(stored: number): number;
  tell(signals: readonly StoreSignal[]): void;
  readonly lanes: number;
}

interface WaitingOperation extends Waiting {
  readonly operation: Operation;
  attempts: number;
  resolve(answer: unknown): void;
  reject(error: unknown): void;
}

const MAX_BATCH = 200;

/** How often an operation is begun anew after a race or a lost connection. */
const MAX_ATTEMPTS = 5;

/**
 * Operations that may be done again when it is unknown whether they were done: the second time changes nothing and gives the
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

/** Does operations with their reading, those that wait together. */
export class Batcher {
  readonly #ports: BatcherPorts;
  readonly #lanes: Lanes<WaitingOperation>;

  constructor(ports: BatcherPorts) {
    this.#ports = ports;
    this.#lanes = new Lanes({ lanes: ports.lanes, maxBatch: MAX_BATCH, work: (batch) => this.#work(batch) });
  }

  /** Does an operation; resolves when it is durable. The answer is the operation's own. */
  do<Answer>(operation: Operation): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const thread = laneOf(operation.demand.tenant, operation.thread_id);
      // Each operation is answered as its type says.
      this.#lanes.add({ operation, thread, attempts: 0, resolve: resolve as (answer: unknown) => void, reject });
    });
  }

  close(): Promise<void> {
    return this.#lanes.close();
  }

  async #work(batch: readonly WaitingOperation[]): Promise<void> {
    try {
      const operations = batch.map(({ operation }) => operation);
      const outcomes = await this.#ports.database.use((session) => runBatch(session, operations, this.#ports.now));
      await this.#settle(batch, outcomes);
    } catch (error) {
      await this.#recover(batch, error);
    }
  }

  async #settle(batch: readonly WaitingOperation[], outcomes: readonly Outcome[]): Promise<void> {
    // Signals are sent before the writer continues, so that no caller waits for a signal that was already sent.
    this.#ports.tell(outcomes.flatMap((outcome) => ("signals" in outcome ? outcome.signals : [])));
    for (const [index, waiting] of batch.entries()) {
      const outcome = outcomes[index];
      if (outcome === undefined) waiting.reject(new RepriseError("INTERNAL", "An operation of a batch was lost."));
      else if ("refusal" in outcome) waiting.reject(fromPostgresError(outcome.refusal));
      else if ("answer" in outcome) waiting.resolve(outcome.answer);
      else await this.#recover([waiting], new BatchFailure(tooLate(), false));
    }
  }

  /** After a failure of the database: those who may try again do, each by itself when one of them is the cause. */
  async #recover(batch: readonly WaitingOperation[], failure: unknown): Promise<void> {
    const cause = failure instanceof BatchFailure ? failure.cause : failure;
    const inDoubt = failure instanceof BatchFailure && failure.inDoubt;
    const isLost = isConnectionLost(cause);
    const known = fromPostgresError(cause);
    const again: WaitingOperation[] = [];
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
