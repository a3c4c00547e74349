import { type Claim, type ClaimRequest, claimedRun } from "@reprise/contracts";
import { type Problem, requeueEntry } from "./entries.ts";
import type { MailboxSlot } from "./mailbox.ts";
import type { HeldClaim, ThreadCell } from "./thread-cell.ts";
import { findWork, type Work } from "./work-index.ts";

/** Takes the next work of a thread that nobody holds, under a new epoch. */
export function grantClaim(cell: ThreadCell, request: ClaimRequest, now: number): Claim | undefined {
  const work = findWork(cell, now);
  if (work === undefined) return undefined;
  if (work.kind !== "recover") cell.mailbox.change(work.slot, { status: "claimed", updated_at: now });
  const run = work.kind === "recover" ? countRecovery(cell, work.run.run_id) : work.run;
  const held = holdThread(cell, request, { kind: work.kind, now, ...entryOf(work) });
  return {
    ...describeClaim(cell, held),
    ...(work.kind === "recover" ? {} : { entry: work.slot.entry }),
    ...(run === undefined ? {} : { run }),
  };
}

function entryOf(work: Work): { readonly entryId?: string } {
  return work.kind === "recover" ? {} : { entryId: work.slot.entry.entry_id };
}

/** Writes a claim with the next epoch on a thread. */
export function holdThread(
  cell: ThreadCell,
  { owner, lease_ms }: ClaimRequest,
  { kind, entryId, now }: { readonly kind: Claim["kind"]; readonly entryId?: string; readonly now: number },
): HeldClaim {
  cell.epoch += 1;
  cell.isGivenBack = false;
  const leaseUntil = now + lease_ms;
  const held: HeldClaim = { owner, epoch: cell.epoch, leaseUntil, kind, ...(entryId === undefined ? {} : { entryId }) };
  cell.claim = held;
  return held;
}

/** A claim as its holder sees it, without what it is for. */
export function describeClaim(cell: ThreadCell, held: HeldClaim): Claim {
  return {
    tenant: cell.world.tenant,
    thread_id: cell.thread.thread_id,
    owner: held.owner,
    epoch: held.epoch,
    lease_until: held.leaseUntil,
    kind: held.kind,
  };
}

/** Ends a claim; the entry it was for, if nobody accepted it, goes back into the queue. */
export function giveBackClaim(cell: ThreadCell, problem: Problem | undefined, now: number): void {
  const slot = claimedSlot(cell);
  cell.claim = undefined;
  if (slot !== undefined) requeueEntry(cell, slot, problem, now);
  else if (problem !== undefined) cell.recoverAt = problem.retry_at;
}

/** An owner that was replaced and can still say so was slow: its run did not kill it. */
export function takeBackRecovery(cell: ThreadCell | undefined, claim: Claim): void {
  const runId = claimedRun(claim);
  const run = runId === undefined ? undefined : cell?.world.runs.get(runId);
  if (cell === undefined || run === undefined || cell.epoch <= claim.epoch || cell.openRunId !== runId) return;
  run.record = { ...run.record, recoveries: Math.max(run.record.recoveries - 1, 0) };
}

function claimedSlot(cell: ThreadCell): MailboxSlot | undefined {
  const slot = cell.claim?.entryId === undefined ? undefined : cell.world.entries.get(cell.claim.entryId);
  return slot?.entry.status === "claimed" ? slot : undefined;
}

function countRecovery(cell: ThreadCell, runId: string): Claim["run"] {
  const run = cell.world.runs.get(runId);
  if (run === undefined || cell.isGivenBack) return run?.record;
  run.record = { ...run.record, recoveries: run.record.recoveries + 1 };
  return run.record;
}
