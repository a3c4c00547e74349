import type { ThreadRows } from "../kernel/demand.ts";
import { planOf } from "../kernel/operations.ts";
import type { Plan } from "../kernel/plan.ts";
import type { ThreadRequest } from "../kernel/request.ts";
import type { SealedChangeset } from "../kernel/sealed-changeset.ts";
import type { Write } from "../kernel/write.ts";
import { survivesJson } from "./buffer-message.ts";
import type { Glimpse } from "./buffer-ports.ts";
import { overlayRows } from "./overlay-rows.ts";
import type { PendingCommit } from "./pending-commits.ts";

/**
 * The version that a commit makes, if it may wait behind those that do. Throws when the rules refuse it. The glimpse is of what
 * the database has, without what is pending.
 */
export function versionToWait(
  request: ThreadRequest<"commit">,
  { rows, now }: Glimpse,
  pending: readonly PendingCommit[],
): number | undefined {
  const [first] = pending;
  if (first !== undefined && rows.thread?.thread.version !== first.version - 1) return undefined;
  const plan = planOf(request, overlayRows(rows, pending), now);
  return mayWait(plan, request.changeset, rows) ? plan.answer.version : undefined;
}

/**
 * Whether a commit may wait for its place in the database, which has these rows.
 *
 * While anything of a thread waits, the database says that its run is running: so only the process that recovers the run has to
 * look into the buffer. What others act on does not wait: the end or the suspension of a run, calls that wait for a decision,
 * decisions that are used, the mailbox, a handoff to another agent.
 */
function mayWait({ writes }: Plan<unknown>, changeset: SealedChangeset, rows: ThreadRows): boolean {
  const open = rows.runs.find(({ record }) => record.run_id === rows.thread?.open_run_id)?.record;
  if (open?.status !== "running" || changeset.run_id !== open.run_id) return false;
  return (
    writes.every((write) => isPrivate(write, open.run_id, changeset)) && survivesJson([changeset.runs, changeset.calls])
  );
}

/** Whether a run is running as before. Another agent may be one that other processes have. */
function isStillOf(runId: string, { row: { record }, before }: Extract<Write, { readonly write: "run" }>): boolean {
  const isSameAgent = record.agent_path?.length === before?.record.agent_path?.length;
  return record.run_id === runId && record.status === "running" && isSameAgent;
}

/** Whether no other process has to see a write at once. */
function isPrivate(write: Write, runId: string, { text_refs }: SealedChangeset): boolean {
  switch (write.write) {
    case "thread":
      return write.row.claim !== null && write.row.open_run_id === runId;
    case "run":
      return isStillOf(runId, write);
    // A blob without a reference is kept for a day. Texts of recordings were put just now; others may be older.
    case "refer":
      return write.refs.every((ref) => text_refs.includes(ref));
    case "commit":
    case "supersede":
      return true;
    default:
      return false;
  }
}
