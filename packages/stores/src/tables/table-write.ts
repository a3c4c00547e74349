import type { CallKey } from "../kernel/demand.ts";
import type { DecisionRow, EndedCall, EntryRow, RunRow, ThreadRow } from "../kernel/rows.ts";
import type { Write } from "../kernel/write.ts";
import type { CommitCell, SnapshotCell } from "./cells.ts";

/**
 * A write of the kernel as the tables take it: with a number in the order of the whole store for a row that is new, and with the
 * cells that the owner of the tables made for content. A row without a number has to be there already.
 */
export type TableWrite =
  | { readonly write: "thread"; readonly row: ThreadRow; readonly order?: number | undefined }
  | { readonly write: "entry"; readonly row: EntryRow; readonly order?: number | undefined }
  | { readonly write: "run"; readonly row: RunRow; readonly order?: number | undefined }
  | { readonly write: "decision"; readonly row: DecisionRow; readonly order?: number | undefined }
  /** Without a number the call is no longer suspended. One that is already keeps the number it had. */
  | {
      readonly write: "suspended";
      readonly call: CallKey;
      readonly pending_id: string | null;
      readonly order?: number | undefined;
    }
  | {
      readonly write: "commit";
      readonly cell: CommitCell;
      readonly message_ids: readonly string[];
      readonly ended_calls: readonly EndedCall[];
    }
  | { readonly write: "snapshot"; readonly cell: SnapshotCell }
  | Extract<Write, { readonly write: "refer" | "supersede" | "prune" | "forget_entries" }>;
