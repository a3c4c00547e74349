import type { Claim, ClaimRequest } from "@reprise/contracts";
import { requeueEntry } from "./entries.ts";
import type { Problem } from "./request.ts";
import type { EntryRow, HeldClaim } from "./rows.ts";
import type { ThreadDraft } from "./thread-draft.ts";

/** Writes a claim with the next epoch on a thread. */
export function holdThread(
  draft: ThreadDraft,
  { owner, lease_ms }: ClaimRequest,
  { kind, entryId, now }: { readonly kind: Claim["kind"]; readonly entryId: string | null; readonly now: number },
): HeldClaim {
  draft.epoch += 1;
  draft.isGivenBack = false;
  const held: HeldClaim = { owner, epoch: draft.epoch, lease_until: now + lease_ms, kind, entry_id: entryId };
  draft.claim = held;
  return held;
}

/** A claim as its holder sees it, without what it is for. */
export function describeClaim(draft: ThreadDraft, held: HeldClaim): Omit<Claim, "entry" | "run"> {
  return {
    tenant: draft.tenant,
    thread_id: draft.threadId,
    owner: held.owner,
    epoch: held.epoch,
    lease_until: held.lease_until,
    kind: held.kind,
  };
}

/** Ends a claim. Its entry, if it was not accepted, goes back into the queue. */
export function giveBackClaim(draft: ThreadDraft, problem: Problem | undefined, now: number): void {
  const row = claimedEntry(draft);
  draft.claim = null;
  if (row !== undefined) requeueEntry(draft, row, problem, now);
  else if (problem !== undefined) draft.recoverAt = problem.retry_at;
}

/** Ends a claim whose holder is gone. */
export function loseClaim(draft: ThreadDraft, error: string, now: number): void {
  const { version } = draft.thread;
  draft.losses = { version, count: lostClaims(draft) + 1 };
  giveBackClaim(draft, { error, retry_at: now }, now);
  draft.isGivenBack = false;
}

/** How many claims were lost since the last commit. */
export function lostClaims({ losses, thread }: ThreadDraft): number {
  return losses.version === thread.version ? losses.count : 0;
}

/** The entry the claim is for, while it is not accepted. */
export function claimedEntry(draft: ThreadDraft): EntryRow | undefined {
  const row = draft.claim?.entry_id == null ? undefined : draft.entry(draft.claim.entry_id);
  return row?.entry.status === "claimed" ? row : undefined;
}

/** Versions that were promised to an owner and that the thread does not have. */
export function lostVersions({ thread, promisedVersion }: ThreadDraft): Claim["lost"] {
  return promisedVersion > thread.version ? { from: thread.version + 1, to: promisedVersion } : undefined;
}

export function isClaimLive(draft: ThreadDraft, now: number): boolean {
  return draft.claim !== null && draft.claim.lease_until > now;
}
