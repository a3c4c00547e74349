import type { Changeset, Durability, StoreSignal, ThreadKey } from "@reprise/contracts";
import type { HeldWrite } from "../kernel/held-write.ts";
import type { NeedText } from "../kernel/need.ts";
import type { ClaimAnswer, Claimer, ThreadAnswers, ThreadOperation, ThreadRequest } from "../kernel/request.ts";
import type { SealedChangeset } from "../kernel/sealed-changeset.ts";
import type { DocumentRows } from "./document-rows.ts";
import type { RowReader } from "./row-reader.ts";
import type { NameHold, WorkerRow, WorkerRows } from "./worker-rows.ts";

/**
 * A database under the shell. It knows how to read rows, to execute writes and to tell the time; it knows no rules.
 *
 * - `execute` reads what `demandOf` asks for, runs `planOf` at the store's time, and executes the writes, in one transaction in
 *   which no other process changes these rows. It resolves when that is durable, and rejects, having changed nothing, with what the
 *   plan threw or with `STORE_UNAVAILABLE`.
 * - Several operations may share a transaction. One that fails leaves the others as if it had not been there, and each sees
 *   what those before it did to its rows: two operations on one thread either follow each other or do not share one.
 * - A unique index that stops a write means that another process was quicker: the operation is tried again from its reading.
 * - Signals are told after the transaction, in this and in other processes.
 */
export interface StoreDriver {
  readonly durability: Durability;
  readonly reader: RowReader;
  readonly documents: DocumentRows;
  readonly workers: WorkerRows;
  /** The store's time. */
  now(): Promise<number>;
  execute<Name extends ThreadOperation>(request: ThreadRequest<Name>): Promise<ThreadAnswers[Name]>;
  /**
   * Executes writes that were planned without reading, if their condition holds: one round trip. Resolves with false, having
   * changed nothing, when it does not or when a unique index stops a write; then the operation is executed with its reading.
   * Left out by drivers whose reading costs nothing.
   */
  writeHeld?(write: HeldWrite): Promise<boolean>;
  /** The store's time where a thread is, as far as it is known without asking: never ahead of it. */
  estimateNow(thread: ThreadKey): number;
  /** Makes a changeset ready for `execute` and `writeHeld`. */
  seal(changeset: Changeset): SealedChangeset;
  /** What the work needs that is due: each need once, first that of what has been due for longest. Costs what there are needs, however much work there is. */
  dueNeeds(): Promise<readonly NeedText[]>;
  /** How many threads have a work hint that is due, counted up to a limit. */
  countDue(limit: number): Promise<number>;
  /**
   * Offers threads whose work hint is due and needs what the claimer may do to the operation `claim`, by rank, then by need in
   * their order, then by time, until `limit` claims were granted or no thread is due.
   */
  claim(request: Claimer, limit: number): Promise<readonly ClaimAnswer[]>;
  /**
   * Takes hold of a name, as far as the system can tell the living from the dead. Left out by drivers that cannot: then a name is
   * free when its worker has fallen silent.
   */
  holdName?(owner: string): Promise<NameHold>;
  /** The workers whose processes are sure to be gone. Left out by drivers that cannot tell. */
  findGone?(): Promise<readonly WorkerRow[]>;
  /** The threads an owner has a claim on. */
  findClaims(owner: string): Promise<readonly ThreadKey[]>;
  /** The threads of a tenant that anybody has a claim on. */
  findClaimed(tenant: string): Promise<readonly string[]>;
  watch(listener: (signal: StoreSignal) => void): () => void;
  close(): Promise<void>;
}
