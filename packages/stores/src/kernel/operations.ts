import { illegalTransition, notFound } from "@reprise/contracts";
import { demandClaim, planClaim, planRelease, planReleaseOwner, planRenew } from "./claim-threads.ts";
import { demandCommit, planCommit } from "./commit.ts";
import { demandCancel, demandDecide, planCancel, planDecide } from "./decide.ts";
import type { ThreadDemand, ThreadRows } from "./demand.ts";
import { reviveEntry } from "./entries.ts";
import { demandFlush, planFlush } from "./flush.ts";
import { demandFork, planFork } from "./fork.ts";
import { demandInterrupt, planInterrupt } from "./interrupt.ts";
import { concludeDraft, type Plan, requireThread } from "./plan.ts";
import { demandPrune, planPrune } from "./prune.ts";
import type { ThreadAnswers, ThreadOperation, ThreadRequest } from "./request.ts";
import { demandSubmit, planSubmit } from "./submit.ts";
import { demandThread, planCreate, planDamage, planDelete, planSnapshot, planUpdate } from "./whole-threads.ts";

/** The rule of one operation: which rows it needs, and what it does with them. Both are pure. */
interface Rule<Name extends ThreadOperation> {
  readonly demand: (request: ThreadRequest<Name>) => ThreadDemand;
  readonly plan: (request: ThreadRequest<Name>, rows: ThreadRows, now: number) => Plan<ThreadAnswers[Name]>;
}

const RULES: { readonly [Name in ThreadOperation]: Rule<Name> } = {
  commit: { demand: demandCommit, plan: planCommit },
  flush: { demand: demandFlush, plan: planFlush },
  submit: { demand: demandSubmit, plan: planSubmit },
  decide: { demand: demandDecide, plan: planDecide },
  cancel: { demand: demandCancel, plan: planCancel },
  interrupt_thread: { demand: demandInterrupt, plan: planInterrupt },
  create_thread: {
    demand: ({ tenant, thread }) => demandThread({ tenant, thread_id: thread.thread_id }),
    plan: planCreate,
  },
  update_thread: { demand: demandThread, plan: planUpdate },
  fork_thread: { demand: demandFork, plan: planFork },
  delete_thread: { demand: demandThread, plan: planDelete },
  save_snapshot: { demand: demandThread, plan: planSnapshot },
  prune_thread: { demand: demandPrune, plan: planPrune },
  requeue_entry: { demand: demandRequeue, plan: planRequeue },
  claim: { demand: demandClaim, plan: planClaim },
  renew: { demand: demandThread, plan: planRenew },
  release: { demand: demandThread, plan: planRelease },
  release_owner: { demand: demandThread, plan: planReleaseOwner },
  report_damage: { demand: demandThread, plan: planDamage },
};

/** The rows an operation needs. */
export function demandOf<Name extends ThreadOperation>(request: ThreadRequest<Name>): ThreadDemand {
  return ruleOf(request).demand(request);
}

/**
 * What an operation does to the rows it asked for, at a time of the store's clock. Throws a `RepriseError` when it is refused;
 * then nothing is written.
 */
export function planOf<Name extends ThreadOperation>(
  request: ThreadRequest<Name>,
  rows: ThreadRows,
  now: number,
): Plan<ThreadAnswers[Name]> {
  return ruleOf(request).plan(request, rows, now);
}

function ruleOf<Name extends ThreadOperation>({ operation }: ThreadRequest<Name>): Rule<Name> {
  // The table has the rule of each name under that name, which TypeScript cannot follow through a union.
  return RULES[operation] as Rule<Name>;
}

function demandRequeue({ tenant, thread_id, entry_id }: ThreadRequest<"requeue_entry">): ThreadDemand {
  return { tenant, thread: { thread_id }, entry_ids: [entry_id] };
}

/** Gives a dead letter another chance. */
function planRequeue(
  { tenant, thread_id, entry_id }: ThreadRequest<"requeue_entry">,
  rows: ThreadRows,
  now: number,
): Plan<ThreadAnswers["requeue_entry"]> {
  const row = rows.entries.find(({ entry }) => entry.entry_id === entry_id && entry.thread_id === thread_id);
  if (row === undefined) throw notFound("ENTRY_NOT_FOUND", "mailbox entry", entry_id);
  const draft = requireThread(tenant, thread_id, rows);
  if (row.entry.status !== "dead_letter") {
    throw illegalTransition("mailbox entry", entry_id, row.entry.status, "requeue");
  }
  return concludeDraft(draft, reviveEntry(draft, row, now), [{ kind: "work" }]);
}
