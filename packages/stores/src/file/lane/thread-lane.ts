import type { StoreSignal } from "@reprise/contracts";
import { redo } from "../../tables/step.ts";
import type { ThreadTables } from "../../tables/thread-tables.ts";
import { fromDiskError } from "../disk/disk-errors.ts";
import type { Gate } from "../disk/gate.ts";
import { rewriteLog } from "../log/rewrite-log.ts";
import type { ThreadLog } from "../log/thread-log.ts";
import type { Job } from "./job.ts";
import { type Batch, planBatch } from "./plan-batch.ts";
import type { TakenIds } from "./taken-ids.ts";

/** A log is written anew when this much of it, and half of it, could be saved. */
const SPARE_BYTES = 1_048_576;

/** What the lanes of a store share. */
export interface LanePorts {
  /** How many write at the same time. */
  readonly writing: Gate;
  readonly taken: TakenIds;
  tell(signals: readonly StoreSignal[]): void;
  /** Called when a lane has nothing more to do. */
  onIdle(): void;
}

/**
 * Does the operations on one thread, in order. Those that come while the disk is busy share the next write. Lanes do not wait for
 * each other, but for a free place at the disk.
 */
export class ThreadLane {
  readonly #thread: ThreadTables;
  readonly #log: ThreadLog;
  readonly #ports: LanePorts;
  readonly #jobs: Job[] = [];
  #isWorking = false;
  /** How many operations wait for another thread's. */
  #deferred = 0;
  /** Whether writing it anew failed and is owed. */
  #mustRewrite = false;

  constructor(thread: ThreadTables, log: ThreadLog, ports: LanePorts) {
    this.#thread = thread;
    this.#log = log;
    this.#ports = ports;
  }

  add(job: Job): void {
    this.#jobs.push(job);
    if (!this.#isWorking) void this.#work();
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    while (this.#jobs.length > 0) await this.#ports.writing.run(() => this.#doBatch());
    this.#isWorking = false;
    if (this.#deferred === 0) this.#ports.onIdle();
  }

  readonly #defer = (job: Job, until: Promise<void>): void => {
    this.#deferred += 1;
    void until.then(() => {
      this.#deferred -= 1;
      this.add(job);
    });
  };

  /** Never throws: what goes wrong is told to those who asked. */
  async #doBatch(): Promise<void> {
    const { taken, tell } = this.#ports;
    const batch = planBatch(this.#thread, this.#log, this.#jobs, { taken, defer: this.#defer });
    const release = taken.take(batch.ids);
    try {
      await this.#write(batch);
      // Who forgets something is answered when it is no longer there.
      if (batch.isPruning) await this.#rewrite();
      for (const { job, outcome } of batch.outcomes) {
        if ("error" in outcome) job.reject(outcome.error);
        else job.resolve(outcome.answer);
      }
      tell(batch.outcomes.flatMap(({ outcome }) => ("signals" in outcome ? outcome.signals : [])));
    } catch (error) {
      // Also those that were refused: what they were refused for did not happen.
      for (const { job } of batch.outcomes) job.reject(fromDiskError(error));
    } finally {
      release();
    }
    if (this.#isWasteful) await this.#rewrite();
  }

  /** Makes a batch durable, and then true. */
  async #write({ lines, steps, retires, spare }: Batch): Promise<void> {
    const { tenant } = this.#thread;
    if (retires !== undefined) return this.#log.retire(retires, () => tenant.emptyThread(this.#thread, retires));
    if (lines.length === 0) return;
    await this.#log.append(Buffer.concat(lines));
    this.#log.spare += spare;
    redo(steps);
  }

  get #isWasteful(): boolean {
    const { spare, durable } = this.#log;
    return this.#mustRewrite || spare > Math.max(SPARE_BYTES, durable / 2);
  }

  async #rewrite(): Promise<void> {
    const { row } = this.#thread;
    // A damaged thread is kept for inspection.
    if (row === undefined || row.damage !== null) return;
    this.#mustRewrite = true;
    try {
      await rewriteLog(this.#thread, this.#log);
      this.#mustRewrite = false;
    } catch {
      // The log is as it was, and good; it is tried again with the next operation.
    }
  }
}
