import { RepriseError, type RunRecord, type Store, type TenantStore } from "@reprise/contracts";
import { familyOf } from "../run/run-tree.ts";
import type { BudgetBook } from "./budget-book.ts";

interface AllotmentSources {
  readonly store: Store;
  readonly budgets: Pick<BudgetBook, "load" | "change">;
}

/** A run, or the request for one. */
type AllottedRun = Pick<RunRecord, "run_id"> & Partial<Pick<RunRecord, "budget_id" | "allotment_id">>;

/** Whether a run has a part of a budget of its own. */
export function hasAllotment({ run_id, allotment_id }: AllottedRun): boolean {
  return allotment_id === run_id;
}

/** Returns what a run that is over did not use of its allotment. For a run that ended without a last step of its own. Idempotent. */
export async function returnAllotment(
  { budgets }: Pick<AllotmentSources, "budgets">,
  tenant: string,
  run: AllottedRun,
): Promise<void> {
  const { run_id, budget_id } = run;
  if (!hasAllotment(run) || budget_id === undefined) return;
  try {
    await budgets.change(tenant, budget_id, { type: "return", run_id });
  } catch (error) {
    // The run that owned the budget was deleted, and its budget with it.
    if (!RepriseError.is(error, "BUDGET_NOT_FOUND")) throw error;
  }
}

/**
 * Returns what a run gave to runs below it that are over, or that were never accepted: its process died in between, or they were cancelled in the
 * queue. Runs that are at work return theirs themselves.
 */
export async function returnBelow(
  { store, budgets }: AllotmentSources,
  tenant: string,
  { run_id: givenBy, budget_id }: Pick<RunRecord, "run_id" | "budget_id">,
): Promise<void> {
  const budget = budget_id === undefined ? undefined : await budgets.load(tenant, budget_id);
  for (const [run_id, { given_by, held }] of Object.entries(budget?.allotments ?? {})) {
    if (!held || given_by !== givenBy || !(await isOver(store.forTenant(tenant), run_id))) continue;
    await returnAllotment({ budgets }, tenant, {
      run_id,
      allotment_id: run_id,
      ...(budget_id !== undefined && { budget_id }),
    });
  }
}

/**
 * Returns what runs below a run were given that were cancelled in the queue with it. They have no last step, and the run that gave it to them may be
 * over.
 */
export async function returnQueued(
  { store, budgets }: AllotmentSources,
  tenant: string,
  run: Pick<RunRecord, "run_id" | "root_run_id">,
): Promise<void> {
  const own = store.forTenant(tenant);
  for (const run_id of await familyOf(own, run)) {
    const { items } = await own.listEntries({ run_id });
    const entry = items.find(({ kind }) => kind === "run");
    if (entry?.status === "cancelled" && entry.request !== undefined)
      await returnAllotment({ budgets }, tenant, { ...entry.request, run_id });
  }
}

/** The same for a run that could not be accepted. */
export async function returnUnaccepted(
  { store, budgets }: AllotmentSources,
  tenant: string,
  run: AllottedRun,
): Promise<void> {
  if (hasAllotment(run) && (await isOver(store.forTenant(tenant), run.run_id)))
    await returnAllotment({ budgets }, tenant, run);
}

async function isOver(store: TenantStore, runId: string): Promise<boolean> {
  const run = await store.loadRun(runId);
  if (run !== undefined) return run.status === "done";
  const { items } = await store.listEntries({ run_id: runId });
  return !items.some(({ kind, status }) => kind === "run" && (status === "queued" || status === "claimed"));
}
