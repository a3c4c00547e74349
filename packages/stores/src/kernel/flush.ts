import { RepriseError, staleEpoch } from "@reprise/contracts";
import { assertUndamaged } from "./check-changeset.ts";
import { lostVersions } from "./claims.ts";
import { applyCommit, concludeCommit, demandChangeset } from "./commit.ts";
import type { ThreadDemand, ThreadRows } from "./demand.ts";
import { concludeDraft, onlyAnswer, type Plan, requireThread } from "./plan.ts";
import type { FlushRecovery, ThreadAnswers, ThreadRequest, ThreadRequests } from "./request.ts";
import type { ThreadDraft } from "./thread-draft.ts";

type Flush = ThreadRequest<"flush">;

export function demandFlush({ tenant, thread_id, commits }: Flush): ThreadDemand {
  const demands = commits.map(({ changeset }) => demandChangeset(changeset));
  return {
    tenant,
    thread: { thread_id },
    changeset_ids: unique(demands.flatMap(({ changeset_ids = [] }) => changeset_ids)),
    message_ids: unique(demands.flatMap(({ message_ids = [] }) => message_ids)),
    run_ids: unique(demands.flatMap(({ run_ids = [] }) => run_ids)),
    calls: uniqueBy(
      demands.flatMap(({ calls = [] }) => calls),
      ({ run_id, call_id }) => [run_id, call_id],
    ),
    decisions: uniqueBy(
      demands.flatMap(({ decisions = [] }) => decisions),
      ({ run_id, call_id, suspension }) => [run_id, call_id, suspension],
    ),
    pending_decisions: true,
    superseded_ids: unique(demands.flatMap(({ superseded_ids = [] }) => superseded_ids)),
    entry_ids: unique(demands.flatMap(({ entry_ids = [] }) => entry_ids)),
    entry_run_ids: unique(demands.flatMap(({ entry_run_ids = [] }) => entry_run_ids)),
  };
}

/** Applies commits to a thread in their order, as if one came after the other; none of them, when one is refused. */
export function planFlush(request: Flush, rows: ThreadRows, now: number): Plan<ThreadAnswers["flush"]> {
  const { tenant, thread_id, commits, recovery } = request;
  const draft = requireThread(tenant, thread_id, rows);
  if (recovery !== undefined) return recoverCommits(draft, commits, recovery, now);
  const before = draft.thread.version;
  let { version } = draft.thread;
  for (const commit of commits) {
    version = draft.versionOf(commit.changeset.changeset_id) ?? applyCommit(draft, commit, now);
  }
  if (draft.thread.version === before) return onlyAnswer({ version });
  return concludeCommit(draft, { version }, commits.at(-1)?.changeset.run_id ?? null);
}

/**
 * Applies what owners before left behind, as far as each follows the one before it. What the thread has is passed over, and what is
 * of another run was left by an earlier owner. What cannot follow is lost; that it was promised is kept with the thread
 * until the run has ended, so that the next owner is told too.
 */
function recoverCommits(
  draft: ThreadDraft,
  commits: Flush["commits"],
  { epoch, promised }: FlushRecovery,
  now: number,
): Plan<ThreadAnswers["flush"]> {
  if (draft.claim?.epoch !== epoch) throw staleEpoch(draft.threadId, epoch, draft.epoch);
  assertUndamaged(draft);
  const before = draft.thread.version;
  const own = commits.filter(({ changeset }) => changeset.run_id === draft.openRunId);
  const record = draft.openRun?.record;
  for (const commit of own) if (!follow(draft, commit, now)) break;
  const isChanged = draft.thread.version > before;
  if (draft.openRun?.record !== record) countRecovery(draft);
  draft.promisedVersion = Math.max(draft.promisedVersion, promised, ...own.map(versionOf));
  const lost = lostVersions(draft);
  const answer = { version: draft.thread.version, ...(lost === undefined ? {} : { lost }) };
  return isChanged ? concludeCommit(draft, answer, draft.openRunId) : concludeDraft(draft, answer, []);
}

/** Whether the commit is part of the thread now, or was before. */
function follow(draft: ThreadDraft, commit: ThreadRequests["commit"], now: number): boolean {
  if (versionOf(commit) <= draft.thread.version) return true;
  try {
    applyCommit(draft, commit, now);
    return true;
  } catch (error) {
    // Also one that the rules refuse: it was taken for good once, so something before it is not what it was.
    if (RepriseError.is(error)) return false;
    throw error;
  }
}

/** The version that a commit makes. A process that writes ahead of the database knows which one it expects. */
function versionOf({ guard }: ThreadRequests["commit"]): number {
  return guard.expected === "any" ? 0 : guard.expected + 1;
}

/** A record that was left behind knows nothing of the owner that was lost since. */
function countRecovery(draft: ThreadDraft): void {
  const run = draft.openRun;
  if (run === undefined) return;
  draft.putRun({ ...run, record: { ...run.record, recoveries: run.record.recoveries + 1 } });
}

function unique(ids: readonly string[]): readonly string[] {
  return [...new Set(ids)];
}

function uniqueBy<Key>(keys: readonly Key[], identify: (key: Key) => readonly unknown[]): readonly Key[] {
  return [...new Map(keys.map((key) => [JSON.stringify(identify(key)), key])).values()];
}
