import type { Changeset, DecisionKey, Message, Thread } from "@reprise/contracts";
import type { Json } from "@reprise/state";
import type { DecisionRow, EndedCall, EntryRow, RunRow, SupersededRange, ThreadRow } from "./rows.ts";
import type { SealedChangeset } from "./sealed-changeset.ts";

/**
 * Which rows an operation needs, all of them known from the request alone: a driver reads them in one go. Everything is of one
 * tenant, and all but what is said otherwise of one thread.
 *
 * Always read: the thread's row, its open run, its pending entries that are not queued runs (`place` is `wake` or `claimed`),
 * and when its queue could next be served.
 */
export interface ThreadDemand {
  readonly tenant: string;
  /** The thread by its id, or the one that has a run or a `run` entry with this run id. */
  readonly thread: { readonly thread_id: string } | { readonly run_id: string };
  /** At which versions the thread has these changesets. */
  readonly changeset_ids?: readonly string[];
  /** Which of these messages the thread has. */
  readonly message_ids?: readonly string[];
  /** Runs of the tenant, also those of other threads. */
  readonly run_ids?: readonly string[];
  /** Those of these calls that have ended; open ones come with their runs. */
  readonly calls?: readonly CallKey[];
  readonly decisions?: readonly DecisionKey[];
  /** The decisions on the thread's open run that no commit has used: the process that gets a claim needs them. */
  readonly pending_decisions?: true;
  /** Where the thread has these messages, and which of its messages are superseded. */
  readonly superseded_ids?: readonly string[];
  /** Entries of the tenant, also those of other threads. */
  readonly entry_ids?: readonly string[];
  /** The `run` entries of the tenant that ask for these runs. Not needed for runs that have a row: theirs are accepted. */
  readonly entry_run_ids?: readonly string[];
  /** The thread's entry with this key. */
  readonly dedupe_key?: string;
  /** All queued runs of the thread. */
  readonly queued_runs?: true;
  /**
   * The heads of the thread's queue at the time the plan is made for, in the order higher priority, then earlier arrival:
   * the first queued run that is available; the first of those with the policy `continue`; and the first that is not
   * available yet and has an attempt behind it.
   */
  readonly heads?: true;
  /** Entries of the thread that are over and were so before a time, at most so many. */
  readonly over_entries?: { readonly before: number; readonly limit: number };
  /** What another thread said and became up to a version. */
  readonly history?: { readonly thread_id: string; readonly up_to: number };
}

export interface CallKey {
  readonly run_id: string;
  readonly call_id: string;
}

/** When the queued `run` entries of a thread become available. */
export interface QueueRows {
  /** The smallest `available_at` of all; null when none is queued. */
  readonly next_at: number | null;
  /** The smallest `available_at` of those with the policy `continue`. */
  readonly next_continue_at: number | null;
  /** The least and the greatest of the agents that they ask for, in some fixed order: the same when there is one. */
  readonly first_agent: string | null;
  readonly last_agent: string | null;
}

/** What a demand brought. What is not there is not in it. */
export interface ThreadRows {
  readonly thread?: ThreadRow;
  /** The last epoch of a deleted thread with this id, 0 when there was none. Needed only without `thread`. */
  readonly retired_epoch: number;
  /** The versions of those demanded changesets that the thread has, by their ids. */
  readonly known_versions: ReadonlyMap<string, number>;
  readonly message_ids: readonly string[];
  /** The open run and the demanded ones. */
  readonly runs: readonly RunRow[];
  readonly calls: readonly EndedCall[];
  readonly decisions: readonly DecisionRow[];
  /** All entries that any part of the demand found, each once. */
  readonly entries: readonly EntryRow[];
  readonly queue: QueueRows;
  /** The positions of those of `superseded_ids` that the thread has. */
  readonly positions: ReadonlyMap<string, number>;
  readonly superseded: readonly SupersededRange[];
  readonly history?: History;
}

/** A thread up to a version, oldest first. */
export interface History {
  readonly thread: Thread;
  /** What is left of the versions whose history is gone; null when none is, or when the version is among them. */
  readonly base: HistoryBase | null;
  readonly pruned_version: number;
  readonly changesets: readonly Pick<Changeset, "messages" | "supersedes" | "patches">[];
  /** Every blob that the thread refers to, whatever of its history is gone. */
  readonly blob_refs: readonly string[];
  /** How the driver wants changesets. */
  readonly seal: (changeset: Changeset) => SealedChangeset;
}

/** A thread at the version its history was cut at. */
export interface HistoryBase {
  readonly state: Json;
  readonly messages: readonly Message[];
  /** Those of them that were superseded by then. */
  readonly supersedes: readonly string[];
}
