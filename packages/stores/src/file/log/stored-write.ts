import type { RowChange } from "./row-change.ts";

/**
 * A change of one row. Rows are stored in two parts, `main` and the rest, so that a part that stays the same is not written
 * again. `order` is there for a row that is new.
 */
export interface StoredRow {
  readonly write: "thread" | "entry" | "run" | "call" | "decision";
  /** The parts of its id beside the thread: none, the entry, the run, or the run with the call and the suspension. */
  readonly key: readonly (string | number)[];
  readonly order?: number;
  readonly main?: RowChange;
  readonly rest?: RowChange;
}

/** A changeset without its texts; those are an item of the line's content. */
export interface StoredVersion {
  readonly write: "changeset";
  readonly version: number;
  readonly changeset_id: string;
  readonly run_id: string | null;
  readonly first_position: number;
  readonly epoch: number;
  /** Ids; one in brackets is that of an internal message. */
  readonly messages: readonly (string | readonly [id: string])[];
  readonly segments: readonly (readonly [run_id: string, first_seq: number, last_seq: number])[];
  readonly has_patches: boolean;
  readonly is_pruned?: true;
  readonly item: number;
}

/** A write of the kernel as it lies in a log. */
export type StoredWrite =
  | StoredRow
  | StoredVersion
  | { readonly write: "supersede"; readonly message_ids: readonly string[]; readonly version: number }
  | { readonly write: "prune"; readonly up_to: number }
  | { readonly write: "forget_entries"; readonly entry_ids: readonly string[] }
  | { readonly write: "snapshot"; readonly version: number; readonly item: number };
