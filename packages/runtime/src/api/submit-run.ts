import { type MailboxEntry, type NewEntry, RepriseError, type RunRequest } from "@reprise/contracts";
import { deepEqual, type Json } from "@reprise/state";
import { type BudgetOptions, withBudget } from "../budget/find-budget.ts";
import { hasAllotment, returnAllotment, returnUnaccepted } from "../budget/return-allotments.ts";
import type { Dispatcher } from "../dispatcher/dispatcher.ts";
import type { Services } from "../loop/services.ts";
import { findRestore } from "../thread/find-restore.ts";
import { forwardDecisions } from "./forward-decisions.ts";
import type { PreparedRun } from "./prepare-run.ts";
import { createRunHandle, type RunHandle } from "./run-handle.ts";
import type { SubmitOptions } from "./runtime.ts";

/**
 * Accepts a run; resolves when that is durable. Every run goes in here: a message, a tool called by hand, a rerun. Decisions in the
 * request are stored first; a request with decisions alone continues the run that they belong to.
 */
export async function submitRun(
  services: Services,
  dispatcher: Dispatcher,
  { tenant, thread_id, entry }: PreparedRun,
  options: SubmitOptions & Pick<BudgetOptions, "above"> = {},
): Promise<RunHandle<never>> {
  dispatcher.assertOpen();
  const { initial_decisions = [], messages, restore } = entry.request;
  if (initial_decisions.length > 0) {
    const decider = options.decidedBy === undefined ? {} : { decidedBy: options.decidedBy };
    const runId = await forwardDecisions(services, tenant, { threadId: thread_id, ...decider }, initial_decisions);
    if (messages.length === 0) return createRunHandle(services, tenant, runId, thread_id);
  }
  // Refused now, while the client listens. The restore point is looked up again when the run begins.
  if (restore !== undefined) await findRestore(services.store.forTenant(tenant), thread_id, restore);
  const request = await withBudget(services, tenant, entry.request, options);
  const { status, entry: accepted } = await accept(services, dispatcher, tenant, { ...entry, request });
  const run = createRunHandle(services, tenant, accepted.run_id, accepted.thread_id);
  if (status !== "duplicate") return run;
  assertSameRequest(accepted, entry);
  return { ...run, isEarlier: true };
}

/** A run that is not accepted does not keep its part of a budget: it was refused, or an earlier request counts instead. */
async function accept(
  services: Services,
  dispatcher: Dispatcher,
  tenant: string,
  entry: NewEntry,
): ReturnType<Dispatcher["submit"]> {
  const run = { ...entry.request, run_id: entry.run_id };
  try {
    const submitted = await dispatcher.submit(tenant, entry);
    const { run_id, request = run } = submitted.entry;
    const isOther = run_id !== run.run_id || request.allotment_id !== run.allotment_id;
    if (isOther && hasAllotment(run)) await returnAllotment(services, tenant, run);
    return submitted;
  } catch (error) {
    await returnUnaccepted(services, tenant, run).catch(() => undefined);
    throw error;
  }
}

/** Refuses a request under a run id or a dedupe key that belongs to another request. */
function assertSameRequest(accepted: MailboxEntry, asked: NewEntry): void {
  if (accepted.request !== undefined && deepEqual(identityOf(accepted.request), identityOf(asked.request))) return;
  const isByKey = asked.dedupe_key !== undefined && accepted.dedupe_key === asked.dedupe_key;
  const what = isByKey ? `dedupe key ${JSON.stringify(asked.dedupe_key)}` : `run id ${JSON.stringify(asked.run_id)}`;
  throw new RepriseError("RUN_EXISTS", `The ${what} was used for another request.`, {
    details: { thread_id: asked.thread_id },
  });
}

/**
 * The fields that make two requests the same. Ids are found by the store, and a budget is set when a request is accepted. Decisions have an
 * identity of their own, and a client leaves out those it knows to be taken. A retry belongs to a trace of its own.
 */
function identityOf({
  run_id,
  thread_id,
  budget_id,
  allotment_id,
  counts_calls,
  deadline_at,
  traceparent,
  tracestate,
  initial_decisions,
  policy = {},
  ...rest
}: RunRequest): Json {
  const { budget, ...lists } = policy;
  // A request is JSON, as was checked when it came.
  return { ...rest, policy: lists } as unknown as Json;
}
