import type { CallKey } from "../../kernel/demand.ts";
import type { EndedCall } from "../../kernel/rows.ts";
import type { SealedSegment } from "../../kernel/sealed-changeset.ts";
import type { Write } from "../../kernel/write.ts";
import type { ItemPosition } from "./line-content.ts";
import type { RowChange } from "./row-change.ts";

/**
 * A change of one row. Rows are stored in two parts, `main` and the rest, so that a part that stays the same is not written
 * again. `order` is there for a row that is new.
 */
export interface StoredRow {
  readonly write: "thread" | "entry" | "run" | "decision";
  /** The parts of its id beside the thread: none, the entry, the run, or the run with the call and the suspension. */
  readonly key: readonly (string | number)[];
  readonly order?: number;
  readonly main?: RowChange;
  readonly rest?: RowChange;
}

/** A commit without its texts; those are items of the line's content. */
export interface StoredCommit {
  readonly write: "commit";
  readonly version: number;
  readonly changeset_id: string;
  readonly run_id: string | null;
  readonly epoch: number;
  readonly digest: string;
  readonly first_position: number;
  readonly message_ids: readonly string[];
  /** How many of the messages are not internal. */
  readonly shown_count: number;
  readonly segments: readonly SealedSegment[];
  readonly ended_calls: readonly EndedCall[];
  readonly has_calls: boolean;
  readonly has_patches: boolean;
  readonly is_pruned?: true;
  readonly format: number;
  readonly parts: readonly ItemPosition[];
}

export interface StoredSnapshot {
  readonly write: "snapshot";
  readonly version: number;
  readonly format: number;
  readonly part: ItemPosition;
}

/** A write of the kernel as it lies in a log. */
export type StoredWrite =
  | StoredRow
  | StoredCommit
  | StoredSnapshot
  /** `order` is there when the call becomes suspended. */
  | { readonly write: "suspended"; readonly call: CallKey; readonly pending_id: string | null; readonly order?: number }
  | Extract<Write, { readonly write: "refer" | "supersede" | "prune" | "forget_entries" }>;
