import {
  describeClaim,
  giveBackClaim,
  holdThread,
  isClaimLive,
  loseClaim,
  lostClaims,
  lostVersions,
} from "./claims.ts";
import type { ThreadDemand, ThreadRows } from "./demand.ts";
import { holdEntry } from "./entries.ts";
import { encodeNeed, isFor } from "./need.ts";
import { concludeDraft, onlyAnswer, type Plan } from "./plan.ts";
import type { ThreadAnswers, ThreadRequest } from "./request.ts";
import { type RunRow, WORK_RANKS } from "./rows.ts";
import { ThreadDraft } from "./thread-draft.ts";
import { findWork, needOfWork } from "./work.ts";

export function demandClaim({ tenant, thread_id }: ThreadRequest<"claim">): ThreadDemand {
  return { tenant, thread: { thread_id }, heads: true, pending_decisions: true };
}

/**
 * Takes the next work of a thread under a new epoch; a claim that expired is lost first. Without work it only puts the
 * thread's place in the work index right.
 */
export function planClaim(
  { tenant, request }: ThreadRequest<"claim">,
  rows: ThreadRows,
  now: number,
): Plan<ThreadAnswers["claim"]> {
  if (rows.thread === undefined) return onlyAnswer(null);
  const draft = new ThreadDraft(tenant, rows.thread, rows);
  if (isClaimLive(draft, now)) return onlyAnswer(null);
  if (draft.claim !== null) loseClaim(draft, "the lease ended", now);
  const work = draft.damage === null ? findWork(draft, now) : undefined;
  if (work?.kind === "blocked") draft.quietUntil = work.until;
  if (work === undefined || work.kind === "blocked") return concludeDraft(draft, null, []);
  const need = needOfWork(draft, work);
  if (!isFor(request, need)) {
    // From now on the work index holds the need, and workers that have it are notified.
    draft.leftWork = { rank: WORK_RANKS[work.kind], at: now, need: encodeNeed(need) };
    return concludeDraft(draft, null, [{ kind: "work" }]);
  }

  const entry = work.kind === "recover" ? undefined : holdEntry(draft, work.row, now);
  const run = work.kind === "recover" ? countRecovery(draft, work.run) : work.run;
  const held = holdThread(draft, request, { kind: work.kind, entryId: entry?.entry.entry_id ?? null, now });
  const lost = work.kind === "recover" ? lostVersions(draft) : undefined;
  const lost_claims = lostClaims(draft);
  const answer = {
    claim: { ...describeClaim(draft, held), ...(lost_claims > 0 && { lost_claims }) },
    held: draft.held(),
    ...(entry === undefined ? {} : { entry }),
    ...(run === undefined ? {} : { run: run.record }),
    ...(lost === undefined ? {} : { lost }),
  };
  return concludeDraft(draft, answer, []);
}

function countRecovery(draft: ThreadDraft, run: RunRow): RunRow {
  if (draft.isGivenBack) return run;
  const counted = { ...run, record: { ...run.record, recoveries: run.record.recoveries + 1 } };
  draft.putRun(counted);
  return counted;
}

export function planRenew(
  { tenant, epoch, lease_ms, promised = 0 }: ThreadRequest<"renew">,
  rows: ThreadRows,
  now: number,
): Plan<ThreadAnswers["renew"]> {
  const draft = heldBy(tenant, epoch, rows);
  if (draft?.claim == null) return onlyAnswer(null);
  const lease_until = now + lease_ms;
  draft.claim = { ...draft.claim, lease_until };
  draft.promisedVersion = Math.max(draft.promisedVersion, promised);
  return concludeDraft(draft, { lease_until }, []);
}

export function planRelease(
  { tenant, epoch, run_id, problem }: ThreadRequest<"release">,
  rows: ThreadRows,
  now: number,
): Plan<ThreadAnswers["release"]> {
  const draft = heldBy(tenant, epoch, rows);
  if (draft === undefined) return takeBackRecovery(tenant, epoch, run_id, rows);
  giveBackClaim(draft, problem && { ...problem, retry_at: now + problem.retry_after_ms }, now);
  draft.isGivenBack = true;
  return concludeDraft(draft, null, [{ kind: "work" }]);
}

/** An owner that was replaced and can still say so was slow: its run did not kill it. */
function takeBackRecovery(
  tenant: string,
  epoch: number,
  runId: string | undefined,
  rows: ThreadRows,
): Plan<ThreadAnswers["release"]> {
  if (rows.thread === undefined || rows.thread.epoch <= epoch) return onlyAnswer(null);
  const draft = new ThreadDraft(tenant, rows.thread, rows);
  const run = draft.openRun;
  if (run === undefined || run.record.run_id !== runId || run.record.recoveries === 0) return onlyAnswer(null);
  draft.putRun({ ...run, record: { ...run.record, recoveries: run.record.recoveries - 1 } });
  return concludeDraft(draft, null, []);
}

export function planReleaseOwner(
  { tenant, owner }: ThreadRequest<"release_owner">,
  rows: ThreadRows,
  now: number,
): Plan<ThreadAnswers["release_owner"]> {
  if (rows.thread?.claim?.owner !== owner) return onlyAnswer(null);
  const draft = new ThreadDraft(tenant, rows.thread, rows);
  loseClaim(draft, "the owner is gone", now);
  return concludeDraft(draft, null, [{ kind: "work" }]);
}

/** A draft of the thread if the claim is still its holder's. */
function heldBy(tenant: string, epoch: number, rows: ThreadRows): ThreadDraft | undefined {
  return rows.thread?.claim?.epoch === epoch ? new ThreadDraft(tenant, rows.thread, rows) : undefined;
}
