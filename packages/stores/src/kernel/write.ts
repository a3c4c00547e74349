import type { SealedChangeset } from "../codec/sealed-changeset.ts";
import type { CallRow, DecisionRow, EntryRow, RunRow, ThreadRow } from "./rows.ts";

/**
 * One change of the stored rows. A plan's writes are executed in order, all or none. None of them needs to read: whether a row
 * is new is known, so that a unique index that says otherwise means a race, and the operation is tried again.
 */
export type Write =
  | { readonly write: "thread"; readonly row: ThreadRow; readonly is_new: boolean }
  /** The thread with everything under it; its epoch is kept under its id. */
  | { readonly write: "delete_thread"; readonly thread_id: string; readonly epoch: number }
  | { readonly write: "entry"; readonly row: EntryRow; readonly is_new: boolean }
  | { readonly write: "run"; readonly row: RunRow; readonly is_new: boolean }
  | { readonly write: "call"; readonly row: CallRow; readonly is_new: boolean }
  | { readonly write: "decision"; readonly row: DecisionRow; readonly is_new: boolean }
  | ChangesetWrite
  /** Marks messages of the thread; ids it does not have are skipped. */
  | { readonly write: "supersede"; readonly message_ids: readonly string[]; readonly version: number }
  /**
   * Forgets how the thread came to a version: patches and bodies of changesets and the events they brought, and snapshots before
   * it. The rows of changesets stay, so that their ids are known and their messages found.
   */
  | { readonly write: "prune"; readonly up_to: number }
  | { readonly write: "forget_entries"; readonly entry_ids: readonly string[] }
  /** Replaces the snapshot of the same version. */
  | { readonly write: "snapshot"; readonly version: number; readonly state: string };

/** A changeset with its messages, from a position on, and its event segments, under an epoch. */
export interface ChangesetWrite {
  readonly write: "changeset";
  readonly version: number;
  readonly first_position: number;
  readonly epoch: number;
  readonly changeset: SealedChangeset;
}
