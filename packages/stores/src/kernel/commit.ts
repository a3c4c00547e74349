import { applyChangeset } from "./apply-changeset.ts";
import { assertChangeset, assertGuard, assertUndamaged } from "./check-changeset.ts";
import type { ThreadDemand, ThreadRows } from "./demand.ts";
import { concludeDraft, offersWork, onlyAnswer, type Plan, requireThread } from "./plan.ts";
import type { ThreadAnswers, ThreadRequest, ThreadRequests } from "./request.ts";
import type { SealedChangeset } from "./sealed-changeset.ts";
import type { ThreadDraft } from "./thread-draft.ts";

export function demandCommit({ tenant, changeset }: ThreadRequest<"commit">): ThreadDemand {
  return { tenant, thread: { thread_id: changeset.thread_id }, ...demandChangeset(changeset) };
}

/** What has to be known to check and apply a changeset: as much as it holds, and nothing of the thread's length. */
export function demandChangeset(changeset: SealedChangeset): Omit<ThreadDemand, "tenant" | "thread"> {
  const { calls, consumed_decisions, mailbox_effects, runs, segments, supersedes } = changeset;
  const runIds = new Set<string>();
  for (const rows of [runs, calls, segments, consumed_decisions]) for (const { run_id } of rows) runIds.add(run_id);
  const suspended = calls.filter(({ status }) => status === "suspended");
  return {
    changeset_ids: [changeset.changeset_id],
    message_ids: changeset.message_ids,
    run_ids: [...runIds],
    calls: calls.map(({ run_id, call_id }) => ({ run_id, call_id })),
    decisions: [...consumed_decisions, ...suspended],
    pending_decisions: true,
    ...(supersedes.length === 0 ? {} : { superseded_ids: supersedes }),
    entry_ids: mailbox_effects.map(({ entry_id }) => entry_id),
    entry_run_ids: runs.map(({ run_id }) => run_id),
  };
}

export function planCommit(
  { tenant, changeset, guard, shown_epoch, holds }: ThreadRequest<"commit">,
  rows: ThreadRows,
  now: number,
): Plan<ThreadAnswers["commit"]> {
  const draft = requireThread(tenant, changeset.thread_id, rows);
  const known = draft.versionOf(changeset.changeset_id);
  if (known !== undefined) return onlyAnswer({ version: known });
  const version = applyCommit(draft, { changeset, guard, ...(shown_epoch === undefined ? {} : { shown_epoch }) }, now);
  return concludeCommit(draft, { version, ...(holds && { held: draft.held() }) }, changeset.run_id);
}

/** Checks one commit that the thread does not have yet, and applies it. Returns the version it makes. */
export function applyCommit(draft: ThreadDraft, commit: ThreadRequests["commit"], now: number): number {
  const { changeset, guard, shown_epoch } = commit;
  assertGuard(draft, changeset, guard);
  assertUndamaged(draft);
  assertChangeset(draft, changeset);
  return applyChangeset(draft, changeset, { epoch: guard.epoch, shownEpoch: shown_epoch, now });
}

/** Tells of a commit, and of work where the commit freed the thread for what is queued on it. */
export function concludeCommit<Answer>(draft: ThreadDraft, answer: Answer, runId: string | null): Plan<Answer> {
  const work = offersWork(draft) ? [{ kind: "work" } as const] : [];
  return concludeDraft(draft, answer, [{ kind: "commit", runId }, ...work]);
}
