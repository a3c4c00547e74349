import type { RunRecord } from "@reprise/contracts";
import type { CallRow, DecisionRow, EntryRow } from "../../kernel/rows.ts";

/** A row, and its number in the order in which rows of the whole store came. */
export interface Cell<Row> {
  readonly row: Row;
  readonly order: number;
}

export type EntryCell = Cell<EntryRow>;

/** A run with what is filed under it. */
export interface RunCell {
  readonly order: number;
  record: RunRecord;
  readonly calls: Map<string, Cell<CallRow>>;
  /** By call and suspension. */
  readonly decisions: Map<string, Cell<DecisionRow>>;
  /** In the order of their events. */
  readonly segments: SegmentCell[];
}

/** Where a text is in its thread's log: in which line, and as which item of the line's content. */
export interface ContentPlace {
  readonly offset: number;
  readonly length: number;
  readonly item: number;
}

/** Something whose text stays in the log until it is wanted. Its place changes when the log is written anew. */
export interface Filed {
  place: ContentPlace;
}

/** A changeset: what is known of it without its texts. */
export interface VersionCell extends Filed {
  readonly version: number;
  readonly changeset_id: string;
  readonly run_id: string | null;
  readonly epoch: number;
  readonly first_position: number;
  readonly hasPatches: boolean;
  readonly messages: readonly MessageCell[];
  readonly segments: readonly SegmentCell[];
  /** Whether all but its messages is forgotten. */
  isPruned: boolean;
}

export interface MessageCell {
  readonly id: string;
  readonly position: number;
  readonly is_internal: boolean;
  readonly from: VersionCell;
  superseded_version: number | null;
}

export interface SegmentCell {
  readonly run_id: string;
  readonly first_seq: number;
  readonly last_seq: number;
  readonly from: VersionCell;
}

export interface SnapshotCell extends Filed {
  readonly version: number;
}

export function decisionKey(callId: string, suspension: number): string {
  return `${suspension} ${callId}`;
}

/** The last `seq` of a run's journal; 0 when it has none. */
export function lastSeqOf({ segments }: RunCell): number {
  return segments.at(-1)?.last_seq ?? 0;
}
