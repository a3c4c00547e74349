import type { AgentEvent, Message, StoredChangeset, ToolCallRecord } from "@reprise/contracts";
import type { TrackedPatch } from "@reprise/state";
import type { StoredText } from "../codec/stored-text.ts";
import type { DecisionRow, EndedCall, EntryRow, RunRow } from "../kernel/rows.ts";
import type { SealedSegment } from "../kernel/sealed-changeset.ts";
import type { ThreadTables } from "./thread-tables.ts";

/** A row, and its number in the order in which rows of the whole store came. */
export interface Cell<Row> {
  readonly row: Row;
  readonly order: number;
}

export type EntryCell = Cell<EntryRow>;

/** A run with what is filed under it. */
export interface RunCell {
  readonly thread: ThreadTables;
  readonly order: number;
  row: RunRow;
  /** By call and suspension. */
  decisions?: Map<string, Cell<DecisionRow>>;
  /** The calls that have ended, by their ids. */
  ended?: Map<string, EndedCall>;
}

/** A call that waits for a decision; its row is among the open calls of its run. */
export interface SuspendedCell {
  readonly run: RunCell;
  readonly call_id: string;
  /** The id it has outside while it waits. */
  readonly pending_id: string;
  readonly order: number;
}

/** A commit: what is known of it without its content. The owner of the tables makes it and knows where its content is. */
export interface CommitCell {
  readonly version: number;
  readonly changeset_id: string;
  readonly run_id: string | null;
  readonly epoch: number;
  readonly digest: string;
  readonly first_position: number;
  readonly message_count: number;
  /** How many of the messages are not internal. */
  readonly shown_count: number;
  readonly segments: readonly SealedSegment[];
  readonly has_calls: boolean;
  readonly has_patches: boolean;
  /** Whether nothing but its messages and calls is left. */
  is_pruned: boolean;
  /** Undefined when its thread is gone by now. */
  load(): CommitContent | Promise<CommitContent | undefined>;
}

/** What a commit holds. Opening throws `CORRUPT_DATA` when it is damaged. */
export interface CommitContent {
  messages(): readonly Message[];
  calls(): readonly ToolCallRecord[];
  patches(): readonly TrackedPatch[];
  events(): readonly AgentEvent[];
  changeset(): StoredChangeset;
}

export interface SnapshotCell {
  readonly version: number;
  /** Undefined when its thread is gone by now. */
  load(): Promise<StoredText | undefined>;
}

export function decisionKey(callId: string, suspension: number): string {
  return `${suspension} ${callId}`;
}
