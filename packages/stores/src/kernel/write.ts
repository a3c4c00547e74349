import type { CallKey } from "./demand.ts";
import type { DecisionRow, EntryRow, RunRow, SupersededRange, ThreadRow } from "./rows.ts";
import type { SealedChangeset } from "./sealed-changeset.ts";

/**
 * One change of the stored rows. A plan's writes are executed in order, all or none. None of them needs to read: whether a row
 * is new is known, so that a unique index that says otherwise means a race, and the operation is tried again.
 */
export type Write =
  | { readonly write: "thread"; readonly row: ThreadRow; readonly is_new: boolean }
  /** The thread with everything under it; its epoch is kept under its id. */
  | { readonly write: "delete_thread"; readonly thread_id: string; readonly epoch: number }
  | { readonly write: "entry"; readonly row: EntryRow; readonly is_new: boolean }
  /** `before` is the row as it was, undefined for a new one. */
  | { readonly write: "run"; readonly row: RunRow; readonly before: RunRow | undefined }
  /** Puts a call into the list of suspended ones, under the id it has outside, or takes it out (null). */
  | { readonly write: "suspended"; readonly call: CallKey; readonly pending_id: string | null }
  | { readonly write: "decision"; readonly row: DecisionRow; readonly is_new: boolean }
  | CommitWrite
  /** The thread refers to these blobs from now on. Idempotent: it may do so already. */
  | { readonly write: "refer"; readonly refs: readonly string[] }
  | { readonly write: "supersede"; readonly range: SupersededRange }
  /**
   * Forgets how the thread came to a version: the patches, the events and the rest of commits, and snapshots before it. The rows
   * of commits stay with their messages and calls.
   */
  | { readonly write: "prune"; readonly up_to: number }
  | { readonly write: "forget_entries"; readonly entry_ids: readonly string[] }
  /** Replaces the snapshot of the same version. */
  | { readonly write: "snapshot"; readonly version: number; readonly state: string };

/** A changeset as one row, or several when it is large, under an epoch. Its ids become ids of the thread. */
export interface CommitWrite {
  readonly write: "commit";
  readonly version: number;
  readonly first_position: number;
  readonly epoch: number;
  readonly digest: string;
  readonly changeset: SealedChangeset;
  /** Calls that no commit before it had. */
  readonly new_calls: readonly CallKey[];
}
