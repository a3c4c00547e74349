import { assertBounded, MAX_METADATA_BYTES, RepriseError } from "@reprise/contracts";
import { isClaimLive } from "./claims.ts";
import type { ThreadDemand, ThreadRows } from "./demand.ts";
import { assertThreadFree, draftThread } from "./new-thread.ts";
import { concludeDraft, onlyAnswer, type Plan, requireThread } from "./plan.ts";
import type { ThreadAnswers, ThreadRequest } from "./request.ts";

export function demandThread({
  tenant,
  thread_id,
}: {
  readonly tenant: string;
  readonly thread_id: string;
}): ThreadDemand {
  return { tenant, thread: { thread_id } };
}

export function planCreate(
  { tenant, thread }: ThreadRequest<"create_thread">,
  rows: ThreadRows,
  now: number,
): Plan<ThreadAnswers["create_thread"]> {
  assertThreadFree(thread.thread_id, rows);
  assertBounded("The metadata of a thread", thread.metadata, MAX_METADATA_BYTES);
  const draft = draftThread(tenant, { ...thread, created_at: now, updated_at: now }, rows);
  return concludeDraft(draft, draft.thread, []);
}

export function planUpdate(
  { tenant, thread_id, metadata }: ThreadRequest<"update_thread">,
  rows: ThreadRows,
  now: number,
): Plan<ThreadAnswers["update_thread"]> {
  const draft = requireThread(tenant, thread_id, rows);
  const merged = { ...draft.thread.metadata, ...metadata };
  assertBounded("The metadata of a thread", merged, MAX_METADATA_BYTES);
  draft.thread = { ...draft.thread, metadata: merged, updated_at: now };
  return concludeDraft(draft, draft.thread, []);
}

/** Takes a thread with everything it has. A damaged one too: that is one way to be rid of it. */
export function planDelete(
  { tenant, thread_id }: ThreadRequest<"delete_thread">,
  rows: ThreadRows,
  now: number,
): Plan<ThreadAnswers["delete_thread"]> {
  const draft = requireThread(tenant, thread_id, rows);
  if (draft.openRun?.record.status === "running" || isClaimLive(draft, now)) {
    throw new RepriseError("THREAD_BUSY", `Cannot delete thread ${thread_id}: a run is running.`);
  }
  return { writes: [{ write: "delete_thread", thread_id, epoch: draft.epoch }], answer: null, signals: [] };
}

/** Keeps a snapshot. One of a thread or a version that is not there is dropped without a word: it is only a cache. */
export function planSnapshot(
  { version, state }: ThreadRequest<"save_snapshot">,
  rows: ThreadRows,
): Plan<ThreadAnswers["save_snapshot"]> {
  if (rows.thread === undefined || version > rows.thread.thread.version) return onlyAnswer(null);
  // That one is no cache: it is where history begins.
  if (version <= rows.thread.pruned_version) return onlyAnswer(null);
  return { writes: [{ write: "snapshot", version, state }], answer: null, signals: [] };
}

/** Closes a thread for writing. The first thing found stays on record. */
export function planDamage(
  { tenant, thread_id, damage }: ThreadRequest<"report_damage">,
  rows: ThreadRows,
): Plan<ThreadAnswers["report_damage"]> {
  if (rows.thread === undefined || rows.thread.damage !== null) return onlyAnswer(null);
  const draft = requireThread(tenant, thread_id, rows);
  draft.damage = damage;
  return concludeDraft(draft, null, []);
}
