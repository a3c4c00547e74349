import {
  type CommitColumns,
  firstPart,
  groupParts,
  isPruned,
  type TextColumns,
} from "../codec/columns/commit-columns.ts";
import { unescapeText } from "../codec/escape-text.ts";
import { openCalls, openCommit, openCommitEvents, openMessages, openPatches } from "../codec/open-commit.ts";
import type { CallsRow, CommitRow, EventRow, MessageRow, PatchRow } from "./row-reader.ts";

// Rows of a database as the shell reads them: each opens its texts when it is asked to.

export type MessageColumns = TextColumns<"messages"> &
  Pick<CommitColumns, "first_position" | "message_count" | "run_id">;

export function toMessageRow(columns: MessageColumns): MessageRow {
  const { first_position, message_count, run_id } = columns;
  return {
    first_position,
    message_count,
    run_id: run_id === null ? null : unescapeText(run_id),
    open: () => openMessages(columns),
  };
}

export type PatchColumns = TextColumns<"patches"> & Pick<CommitColumns, "version">;

/** The rows have to be in order of version and part. */
export function toPatchRows(rows: readonly PatchColumns[]): readonly PatchRow[] {
  return groupParts(rows).map((parts) => ({
    version: parts[0].version,
    is_pruned: isPruned(parts[0]),
    open: () => parts.flatMap(openPatches),
  }));
}

export function toCommitRows(rows: readonly CommitColumns[], threadId: string): readonly CommitRow[] {
  return groupParts(rows).map((parts) => ({
    version: parts[0].version,
    is_pruned: isPruned(parts[0]),
    open: () => openCommit(parts, threadId),
  }));
}

export type EventColumns = TextColumns<"messages" | "events"> &
  Pick<CommitColumns, "version" | "epoch" | "run_id" | "first_seq" | "closed_run" | "closed_first_seq"> & {
    readonly thread_id: string;
  };

export function toEventRows(rows: readonly EventColumns[], runId: string): readonly EventRow[] {
  return groupParts(rows).map((parts) => {
    const { thread_id, epoch, run_id, first_seq, closed_first_seq } = firstPart(parts);
    const isOwn = run_id !== null && unescapeText(run_id) === runId;
    return {
      thread_id,
      epoch,
      first_seq: (isOwn ? first_seq : closed_first_seq) ?? 0,
      open: () => openCommitEvents(parts, thread_id),
    };
  });
}

export function toCallsRow(columns: TextColumns<"calls">): CallsRow {
  return { open: () => openCalls(columns) };
}
