import type { RunRecord } from "@reprise/contracts";
import { toCommitColumns } from "../codec/columns/commit-columns.ts";
import { toDecisionColumns } from "../codec/columns/decision-columns.ts";
import { toChangingEntryColumns, toEntryColumns } from "../codec/columns/entry-columns.ts";
import { toRunColumns } from "../codec/columns/run-columns.ts";
import { toMetadataColumns, toThreadColumns } from "../codec/columns/thread-columns.ts";
import { escapeText } from "../codec/escape-text.ts";
import { callIdKey, idKey } from "../codec/id-key.ts";
import { storeText } from "../codec/stored-text.ts";
import type { HeldWrite } from "../kernel/held-write.ts";
import type { ThreadRow } from "../kernel/rows.ts";
import type { CommitWrite, Write } from "../kernel/write.ts";
import { type Statement, type StatementName, statement } from "./statement.ts";

/** The columns of a new thread's row. */
export function newThread(tenant: string, row: ThreadRow): object {
  return { tenant, ...toThreadColumns(row), ...toMetadataColumns(row.thread.metadata) };
}

/** The statement that makes or moves the head of a thread if the condition of a held write holds. It returns the thread's number. */
export function headStatement({ tenant, thread_id, condition, columns, writes }: HeldWrite): Statement {
  const row = writes.find((write) => write.write === "thread")?.row;
  if (row === undefined) throw new TypeError("A held write has no thread.");
  if (condition === null) return statement("new_head", newThread(tenant, row), [tenant, thread_id]);
  const { version, digest, claim_epoch, revision } = condition;
  return statement(HEADS[columns], toThreadColumns(row), [tenant, thread_id, version, digest, claim_epoch, revision]);
}

const HEADS = { commit: "head_commit", inbox: "head_inbox", claim: "head_claim" } as const satisfies Readonly<
  Record<HeldWrite["columns"], StatementName>
>;

/** Everything that a plan writes besides the thread's own row: the same statements whether it was planned on held or on read rows. */
export function contentStatements(tenant: string, writes: readonly Write[]): readonly Statement[] {
  return writes.flatMap((write) => toStatements(tenant, write));
}

function toStatements(tenant: string, write: Write): readonly Statement[] {
  switch (write.write) {
    case "thread":
      return [];
    case "delete_thread":
      return deleteThread(tenant, write.thread_id, write.epoch);
    case "entry": {
      if (write.is_new) return [statement("insert_entry", { tenant, ...toEntryColumns(write.row) })];
      const entry_id = escapeText(write.row.entry.entry_id);
      return [statement("update_entry", { tenant, entry_id, ...toChangingEntryColumns(write.row) })];
    }
    case "run": {
      const columns = { tenant, ...toRunColumns(write.row) };
      if (write.before === undefined) return [statement("insert_run", columns)];
      return [statement(runUpdate(write.before.record, write.row.record), columns)];
    }
    case "suspended": {
      const { run_id, call_id } = write.call;
      const key = { tenant, run_id: escapeText(run_id), call_id: escapeText(call_id) };
      if (write.pending_id === null) return [statement("delete_suspended", key)];
      return [statement("put_suspended", { ...key, pending_key: idKey(write.pending_id) })];
    }
    case "decision": {
      const columns = { tenant, run_id: escapeText(write.row.decision.run_id), ...toDecisionColumns(write.row) };
      return [statement(write.is_new ? "insert_decision" : "update_decision", columns)];
    }
    case "commit":
      return insertCommit(write);
    case "refer":
      return write.refs.map((ref) => statement("insert_blob_ref", { tenant, ref }));
    case "supersede":
      return [statement("insert_superseded", write.range)];
    case "snapshot":
      return [statement("put_snapshot", { version: write.version, ...storeText(write.state) })];
    case "prune":
      return [statement("prune_commits", write), statement("prune_snapshots", write)];
    case "forget_entries":
      return write.entry_ids.map((id) => statement("forget_entry", { tenant, entry_id: escapeText(id) }));
    default:
      return write satisfies never;
  }
}

/** An update names no column that stays the same: what is not named touches no index. */
function runUpdate(before: RunRecord, after: RunRecord): StatementName {
  const isSame = (column: keyof RunRecord): boolean => before[column] === after[column];
  if (!LASTING.every(isSame)) return "update_whole_run";
  return isSame("status") && isSame("termination_code") ? "update_run" : "update_run_status";
}

/** The columns of a run that one can ask for and that hardly ever change. */
const LASTING = ["parent_run_id", "agent_id", "origin", "created_at"] as const;

function insertCommit(write: CommitWrite): readonly Statement[] {
  const { changeset, version, first_position, new_calls } = write;
  const id = (kind: string, key: string, number: number): Statement =>
    statement("insert_id", { kind, id: key, number });
  return [
    id("changeset", changeset.changeset_id, version),
    ...changeset.message_ids.map((message, index) => id("message", idKey(message), first_position + index)),
    ...new_calls.map((call) => id("call", callIdKey(call), version)),
    ...toCommitColumns(write).map((columns) => statement("insert_commit", columns)),
  ];
}

const DELETIONS = [
  "delete_commits",
  "delete_ids",
  "delete_superseded",
  "delete_blob_refs",
  "delete_suspended_calls",
  "delete_decisions",
  "delete_runs",
  "delete_entries",
  "delete_snapshots",
  "delete_thread",
] as const satisfies readonly StatementName[];

/** A thread with everything it has, but for its last epoch. */
function deleteThread(tenant: string, threadId: string, epoch: number): readonly Statement[] {
  const deletions = DELETIONS.map((name) => statement(name, {}));
  return epoch === 0 ? deletions : [...deletions, statement("retire_epoch", { tenant, thread_id: threadId, epoch })];
}
