import {
  type Decision,
  decisionConflict,
  isSameDecision,
  notFound,
  RepriseError,
  runNotActive,
} from "@reprise/contracts";
import { assertUndamaged } from "./check-changeset.ts";
import type { ThreadDemand, ThreadRows } from "./demand.ts";
import { addCancel, addWake, closeEntry } from "./entries.ts";
import { concludeDraft, offersWork, onlyAnswer, type Plan } from "./plan.ts";
import type { ThreadAnswers, ThreadRequest } from "./request.ts";
import { WORK_RANKS } from "./rows.ts";
import { ThreadDraft } from "./thread-draft.ts";

export function demandDecide({ tenant, decision }: ThreadRequest<"decide">): ThreadDemand {
  const { run_id, call_id, suspension } = decision;
  return {
    tenant,
    thread: { run_id },
    run_ids: [run_id],
    calls: [{ run_id, call_id }],
    decisions: [{ run_id, call_id, suspension }],
  };
}

/** Stores a decision, once, and wakes its run. */
export function planDecide(
  { tenant, decision, is_early }: ThreadRequest<"decide">,
  rows: ThreadRows,
  now: number,
): Plan<ThreadAnswers["decide"]> {
  const draft = rows.thread === undefined ? undefined : new ThreadDraft(tenant, rows.thread, rows);
  const run = draft?.ownRun(decision.run_id);
  if (draft === undefined || run === undefined) throw notFound("RUN_NOT_FOUND", "run", decision.run_id);
  const stored = draft.decision(decision)?.decision;
  if (stored !== undefined && isSameDecision(stored, decision)) return onlyAnswer(stored);
  if (stored !== undefined) throw decisionConflict(stored);
  if (run.record.status === "done") throw runNotActive(decision.run_id, run.record.termination_code);
  assertUndamaged(draft);
  const wakes = assertDecidable(draft, decision, is_early);
  assertInTime(draft, decision, now);
  const wake = wakes ? addWake(draft, "resume", { runId: decision.run_id, now }).entry.entry_id : null;
  draft.putDecision({ decision, is_pending: true, wake_entry_id: wake });
  return concludeInbox(draft, decision, decision.run_id);
}

export function demandCancel({ tenant, run_id }: ThreadRequest<"cancel">): ThreadDemand {
  return { tenant, thread: { run_id }, run_ids: [run_id], entry_run_ids: [run_id] };
}

/** Asks for the end of a run. One that is still queued ends at once; one that is open is left to its owner. */
export function planCancel(
  { tenant, run_id, reason }: ThreadRequest<"cancel">,
  rows: ThreadRows,
  now: number,
): Plan<ThreadAnswers["cancel"]> {
  if (rows.thread === undefined) throw notFound("RUN_NOT_FOUND", "run", run_id);
  const draft = new ThreadDraft(tenant, rows.thread, rows);
  const run = draft.ownRun(run_id);
  if (run?.record.status === "done") throw runNotActive(run_id, run.record.termination_code);
  const entry = draft.entries.find((row) => row.entry.kind === "run" && row.entry.run_id === run_id)?.entry;
  if (run !== undefined || entry?.status === "claimed") addCancel(draft, run_id, reason, now);
  else if (entry?.status === "queued") closeEntry(draft, entry.entry_id, "cancelled", { reason, now });
  else if (entry?.status !== "cancelled") throw runNotActive(run_id);
  return concludeInbox(draft, null, run_id);
}

function concludeInbox<Answer>(draft: ThreadDraft, answer: Answer, runId: string): Plan<Answer> {
  const isWoken = offersWork(draft) && draft.work?.rank === WORK_RANKS.resume;
  const work = isWoken ? [{ kind: "work" } as const] : [];
  return concludeDraft(draft, answer, [{ kind: "inbox", runId }, ...work]);
}

/** Whether the call waits for this very decision; throws unless it does or may come before its suspension. */
function assertDecidable(
  draft: ThreadDraft,
  { run_id, call_id, suspension }: Decision,
  isEarlyAllowed: boolean,
): boolean {
  const call = draft.call(run_id, call_id);
  if (call === undefined && !isEarlyAllowed) throw notFound("CALL_NOT_FOUND", "tool call", call_id);
  if (call?.status === "suspended" && call.suspension === suspension) return true;
  const isOpen = call === undefined || ["new", "running", "resuming"].includes(call.status);
  if (isEarlyAllowed && isOpen && suspension === (call?.suspension ?? 0) + 1) return false;
  const message = `Tool call ${call_id} does not wait for a decision on suspension ${suspension}.`;
  throw new RepriseError("NOT_SUSPENDED", message, {
    details: { call_id, suspension, status: call?.status ?? "unknown" },
  });
}

/** A question whose time is up is over, also while its run has not noticed yet. */
function assertInTime(draft: ThreadDraft, { run_id, call_id }: Decision, now: number): void {
  const call = draft.ownRun(run_id)?.open_calls.find((open) => open.call_id === call_id);
  if (call?.status !== "suspended" || call.expires_at === undefined || now < call.expires_at) return;
  throw new RepriseError("NOT_SUSPENDED", `Tool call ${call_id} no longer waits for a decision: its time is up.`, {
    details: { call_id, expires_at: call.expires_at },
  });
}
