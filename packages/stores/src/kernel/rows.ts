import type { Claim, Decision, MailboxEntry, RunRecord, Thread, ToolCallRecord } from "@reprise/contracts";
import type { NeedText } from "./need.ts";

/** The claim a thread is under, live or expired, until it is given back or taken over. */
export interface HeldClaim {
  readonly owner: string;
  readonly epoch: number;
  readonly lease_until: number;
  readonly kind: Claim["kind"];
  /** The entry that made the work; null for a recovery and for a run that was started at once. */
  readonly entry_id: string | null;
}

/** The order in which work is served. */
export type WorkRank = 0 | 1 | 2;

export const WORK_RANKS: Readonly<Record<Claim["kind"], WorkRank>> = { recover: 0, resume: 1, start: 2 };

/**
 * When a thread may have work for a claimer, and how urgent it is. Never too late: a thread with work has `at` at or before
 * the moment the work can be claimed. It may be too early; then claiming finds nothing and puts it right.
 */
export interface WorkHint {
  readonly rank: WorkRank;
  readonly at: number;
  /**
   * What a worker must be able to run to do the work. It may say less than is needed; then claiming finds out and puts it right. It
   * never keeps a worker away that could do the work: a need that is not known is `UNKNOWN_NEED`, and everybody looks.
   */
  readonly need: NeedText;
}

/** A thread with everything the rules need to know about it. */
export interface ThreadRow {
  readonly thread: Thread;
  /**
   * Counts changes of the mailbox, of decisions and of the claim: everything that others than the claim's owner may change and
   * that an owner has to know before it suspends or ends a run.
   */
  readonly revision: number;
  /** The digest of the newest version; `FIRST_DIGEST` before the first. */
  readonly digest: string;
  readonly generation: number;
  /** The highest epoch ever given out. */
  readonly epoch: number;
  readonly claim: HeldClaim | null;
  /** The run that is not done. */
  readonly open_run_id: string | null;
  /** A running run without an owner is not recovered before this time. */
  readonly recover_at: number;
  /** Whether the last owner gave its claim back itself: then taking over its run is no recovery. */
  readonly is_given_back: boolean;
  /** How many claims were lost at which version: with every commit the count begins anew. */
  readonly losses: Losses;
  /** How many entries the mailbox ever had. */
  readonly arrivals: number;
  /** How many messages it has: the position of the next one. */
  readonly messages: number;
  /** Up to which version its history is gone; there is a snapshot of this one. 0 when all of it is there. */
  readonly pruned_version: number;
  /**
   * The highest version whose writer was told that it is made. One above the thread's own waits in a buffer in front of the
   * database, or is lost.
   */
  readonly promised_version: number;
  /** Why nothing may be written any more: something of it cannot be read back. */
  readonly damage: string | null;
  /** Null when there is nothing to claim, now or later. */
  readonly work: WorkHint | null;
}

export interface Losses {
  readonly version: number;
  readonly count: number;
}

export interface RunRow {
  readonly record: RunRecord;
  /** The last `seq` of the run's journal, whatever its record says; 0 when there is none. */
  readonly last_seq: number;
  /** The commits that brought anything of the run are among the versions from the first to the last. */
  readonly first_version: number;
  readonly last_version: number;
  /** The calls that have not ended. Those that have are in the commits that ended them. */
  readonly open_calls: readonly CallRow[];
}

export type CallRow = ToolCallRecord;

/** As much of a call as the rules look at once it has ended. */
export type EndedCall = Pick<CallRow, "run_id" | "call_id" | "status" | "suspension">;

/** A decision, whether a commit has used it, and the entry that wakes its run; an early one has none yet. */
export interface DecisionRow {
  readonly decision: Decision;
  readonly is_pending: boolean;
  readonly wake_entry_id: string | null;
}

/** A mailbox entry. What was asked for never changes and no rule looks at it, so it stays sealed. */
export interface EntryRow {
  readonly entry: Omit<MailboxEntry, "request">;
  readonly request: string | null;
  /** Its number in the thread, from 1. */
  readonly arrival: number;
}

/**
 * The queue that a pending entry is in, for the one index on pending entries (the column is called `place`): `run` and `wake` are queued, `claimed` is held. Null when
 * it is over.
 */
export type PendingQueue = "run" | "wake" | "claimed";

export function queueOf({ status, kind }: EntryRow["entry"]): PendingQueue | null {
  if (status === "claimed") return "claimed";
  if (status !== "queued") return null;
  return kind === "run" ? "run" : "wake";
}

/** Messages from a position to another, both included, that a version superseded. */
export interface SupersededRange {
  readonly first_position: number;
  readonly last_position: number;
  readonly version: number;
}
