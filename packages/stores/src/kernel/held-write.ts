import { RepriseError, type StoreSignal } from "@reprise/contracts";
import type { QueueRows, ThreadRows } from "./demand.ts";
import { planOf } from "./operations.ts";
import type { Plan } from "./plan.ts";
import type { HeldThread, ThreadAnswers, ThreadRequest } from "./request.ts";
import type { ThreadRow } from "./rows.ts";
import type { Write } from "./write.ts";

/** What must still be true of a thread for a planned write to happen. The thread must be undamaged as well. */
export interface HeldCondition {
  readonly version: number;
  /** Of the version: a thread that was deleted and made anew under its id may have the same version and revision. */
  readonly digest: string;
  /** The epoch of the claim it is under; null when it must be under none. */
  readonly claim_epoch: number | null;
  /** Null for a commit that depends on nothing others may change meanwhile: a cancellation or a message may arrive. */
  readonly revision: number | null;
}

/** Which columns of a thread's row a write may touch. Others are changed by other processes at the same time. */
export type HeadColumns =
  /** What a commit under a claim moves: version, digest, messages, open run, `recover_at`, `updated_at`. */
  | "commit"
  /** Those, and what the revision guards: revision, generation, arrivals, `is_given_back`, what the work needs. */
  | "inbox"
  /** Those, and the claim with the work hint: the claim begins or ends. */
  | "claim";

/** Writes that were planned without reading. They are executed all, or none when the condition does not hold. */
export interface HeldWrite {
  readonly tenant: string;
  readonly thread_id: string;
  /** Null for a thread that must be new: it is not there, and none with its id was ever claimed and deleted. */
  readonly condition: HeldCondition | null;
  readonly columns: HeadColumns;
  readonly writes: readonly Write[];
  readonly signals: readonly StoreSignal[];
}

export interface HeldPlan<Answer> {
  readonly write: HeldWrite;
  readonly answer: Answer;
}

/**
 * Plans a commit on what is held of its thread: the same plan as on rows that were read. Undefined when it takes a reading,
 * be it to hear why the commit is refused.
 */
export function planHeldCommit(
  request: ThreadRequest<"commit">,
  held: HeldThread,
  now: number,
): HeldPlan<ThreadAnswers["commit"]> | undefined {
  const { changeset, guard } = request;
  const { thread } = held;
  if (guard.epoch === null || thread.claim?.epoch !== guard.epoch || guard.expected !== thread.thread.version) {
    return undefined;
  }
  // Where these messages are is not held.
  if (changeset.supersedes.length > 0) return undefined;
  const plan = tryPlan(request, held, now);
  if (plan === undefined) return undefined;
  const columns = columnsOf(plan, thread);
  const isSteady = columns === "commit" && changeset.calls.every(({ status }) => status !== "suspended");
  const condition = {
    version: thread.thread.version,
    digest: thread.digest,
    claim_epoch: guard.epoch,
    revision: isSteady ? null : thread.revision,
  };
  return { write: { ...keyOf(request.tenant, thread), condition, columns, ...writesOf(plan) }, answer: plan.answer };
}

/** The same for a submission that starts its run at once, on a thread that is idle or presumed to be new. */
export function planHeldSubmit(
  request: ThreadRequest<"submit">,
  held: HeldThread | undefined,
  now: number,
): HeldPlan<ThreadAnswers["submit"]> | undefined {
  const { claiming, tenant, entry } = request;
  if (claiming === undefined || (held === undefined && claiming.expected !== 0)) return undefined;
  if (held !== undefined && held.thread.claim !== null) return undefined;
  const plan = tryPlan(request, held ?? NO_ROWS, now);
  if (plan?.answer.status !== "claimed") return undefined;
  const condition = held === undefined ? null : idleCondition(held.thread);
  const key = { tenant, thread_id: entry.thread_id };
  return { write: { ...key, condition, columns: "claim", ...writesOf(plan) }, answer: plan.answer };
}

function idleCondition({ thread: { version }, digest, revision }: ThreadRow): HeldCondition {
  return { version, digest, claim_epoch: null, revision };
}

export const NO_QUEUE: QueueRows = { next_at: null, next_continue_at: null, first_agent: null, last_agent: null };

/** The rows of a thread that is not there. */
export const NO_ROWS: ThreadRows = {
  retired_epoch: 0,
  known_versions: new Map(),
  message_ids: [],
  runs: [],
  calls: [],
  decisions: [],
  entries: [],
  queue: NO_QUEUE,
  positions: new Map(),
  superseded: [],
};

function tryPlan<Name extends "commit" | "submit">(
  request: ThreadRequest<Name>,
  rows: ThreadRows,
  now: number,
): Plan<ThreadAnswers[Name]> | undefined {
  try {
    return planOf(request, rows, now);
  } catch (error) {
    if (RepriseError.is(error)) return undefined;
    throw error;
  }
}

function columnsOf({ writes }: Plan<unknown>, before: ThreadRow): HeadColumns {
  const after = writes.find((write) => write.write === "thread")?.row;
  if (after?.claim?.epoch !== before.claim?.epoch) return "claim";
  return after?.revision === before.revision ? "commit" : "inbox";
}

function keyOf(tenant: string, { thread }: ThreadRow): { readonly tenant: string; readonly thread_id: string } {
  return { tenant, thread_id: thread.thread_id };
}

function writesOf({ writes, signals }: Plan<unknown>): Pick<HeldWrite, "writes" | "signals"> {
  return { writes, signals };
}
