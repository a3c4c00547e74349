import type { StoreSignal } from "@reprise/contracts";
import type { HeldWrite } from "../kernel/held-write.ts";
import type { Database } from "./database.ts";
import { Lanes, laneOf, type Waiting } from "./lanes.ts";
import { doubtful, fromPostgresError, isConnectionLost, isRace } from "./postgres-errors.ts";
import type { ServerClock } from "./server-clock.ts";
import { WriteBatch } from "./write-batch.ts";

export interface HeldWriterPorts {
  readonly database: Database;
  readonly clock: ServerClock;
  tell(signals: readonly StoreSignal[]): void;
  readonly lanes: number;
}

interface WaitingWrite extends Waiting {
  readonly write: HeldWrite;
  resolve(isWritten: boolean): void;
  reject(error: unknown): void;
}

/** Each row of a batch looks for its head among all heads of the batch. */
const MAX_BATCH = 64;

/**
 * Executes writes that were planned without reading: all that wait in one statement, which is a transaction of its own. A thread
 * that is no longer what its write depends on is left as it is, and its writer told so.
 */
export class HeldWriter {
  readonly #ports: HeldWriterPorts;
  readonly #lanes: Lanes<WaitingWrite>;

  constructor(ports: HeldWriterPorts) {
    this.#ports = ports;
    this.#lanes = new Lanes({ lanes: ports.lanes, maxBatch: MAX_BATCH, work: (batch) => this.#work(batch) });
  }

  write(write: HeldWrite): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#lanes.add({ write, thread: laneOf(write.tenant, write.thread_id), resolve, reject });
    });
  }

  close(): Promise<void> {
    return this.#lanes.close();
  }

  async #work(waiting: readonly WaitingWrite[]): Promise<void> {
    try {
      const batch = new WriteBatch();
      for (const { write } of waiting) batch.addHeld(write.writes, write, write);
      const answer = batch.answer(await this.#ports.database.use((session) => session.run(batch.queries)));
      this.#ports.clock.hear(answer.now);
      const written = waiting.filter((_, n) => answer.written.has(n));
      // Signals are sent before the writer continues, so that no caller waits for a signal that was already sent.
      this.#ports.tell(written.flatMap(({ write }) => write.signals));
      for (const [n, { resolve }] of waiting.entries()) resolve(answer.written.has(n));
    } catch (error) {
      await this.#recover(waiting, error);
    }
  }

  /** A race, or what the database does not like, is of one of them: each is tried alone. */
  async #recover(waiting: readonly WaitingWrite[], error: unknown): Promise<void> {
    const known = fromPostgresError(error);
    const isLost = isConnectionLost(error);
    const isShared = !isLost && (isRace(error) || known.code !== "STORE_UNAVAILABLE");
    if (isShared && waiting.length > 1) {
      for (const one of waiting) await this.#work([one]);
      return;
    }
    for (const { write, resolve, reject } of waiting) {
      if (isLost && isSubmission(write)) reject(doubtful(known));
      // A commit that happened after all is found by its id when it is executed with its reading.
      else if (isLost || isRace(error)) resolve(false);
      else reject(known);
    }
  }
}

/** A submission whose answer was lost looks like one of another process: its caller would be told that it is a duplicate. */
function isSubmission({ condition }: HeldWrite): boolean {
  return condition === null || condition.claim_epoch === null;
}
