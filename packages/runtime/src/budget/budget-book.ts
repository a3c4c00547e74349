import {
  type Budget,
  type BudgetPolicy,
  notFound,
  type Store,
  type StoredDocument,
  type TenantStore,
} from "@reprise/contracts";
import type { Json } from "@reprise/state";
import { tenantKey } from "../thread/tenant-key.ts";
import { type BudgetChange, type BudgetStep, changeBudget, completeBudget, openBudget } from "./change-budget.ts";

const KIND = "budget";
const REMEMBERED = 1_000;

/**
 * The budgets of a store, which any number of processes write to. A change is one conditional update of the budget's document: who
 * finds another writer in between retries on that writer's result. In one process the changes of a budget go one after the other.
 */
export class BudgetBook {
  readonly #store: Store;
  /** The last that was seen of a budget: where the next change begins. */
  readonly #seen = new Map<string, StoredDocument>();
  readonly #queues = new Map<string, Promise<unknown>>();

  constructor(store: Store) {
    this.#store = store;
  }

  change(tenant: string, budgetId: string, change: BudgetChange): Promise<BudgetStep> {
    const key = tenantKey(tenant, budgetId);
    const before = this.#queues.get(key);
    const work = (): Promise<BudgetStep> => this.#change(tenant, budgetId, change);
    const changed = before === undefined ? work() : before.then(work, work);
    this.#queues.set(key, changed);
    const leave = (): void => {
      if (this.#queues.get(key) === changed) this.#queues.delete(key);
    };
    changed.then(leave, leave);
    return changed;
  }

  /** A budget as it stands now; undefined for a run that has none. */
  async load(tenant: string, budgetId: string): Promise<Budget | undefined> {
    const store = this.#store.forTenant(tenant);
    const document = await store.loadDocument(KIND, budgetId);
    return document === undefined ? await initialBudget(store, budgetId) : readBudget(document);
  }

  async #change(tenant: string, budgetId: string, change: BudgetChange): Promise<BudgetStep> {
    const store = this.#store.forTenant(tenant);
    const key = tenantKey(tenant, budgetId);
    // What another process left, or set aside, is found only by looking: in an older copy there is nothing to do about it.
    const mustLook = change.type === "take_over" || change.type === "return";
    const seen = mustLook ? undefined : this.#seen.get(key);
    let document = seen ?? (await store.loadDocument(KIND, budgetId));
    for (;;) {
      const budget = document === undefined ? await initialBudget(store, budgetId) : readBudget(document);
      if (budget === undefined) throw notFound("BUDGET_NOT_FOUND", "budget of run", budgetId);
      const step = changeBudget(budget, change);
      // A refusal must be about what stands now, not about what was seen a while ago.
      const isSettled = step.budget === budget && !step.isRefused;
      if (isSettled) return step;
      if (step.isRefused) {
        const now = await store.loadDocument(KIND, budgetId);
        if (now?.revision === document?.revision) return step;
        document = now;
        continue;
      }
      // A budget is plain JSON; its interface hides that from the compiler.
      const body = step.budget as unknown as Json;
      const saved = await store.saveDocument({ kind: KIND, id: budgetId, body }, document?.revision ?? 0);
      document = saved.document;
      this.#remember(key, document);
      if (saved.saved) return step;
    }
  }

  #remember(key: string, document: StoredDocument | undefined): void {
    this.#seen.delete(key);
    if (document === undefined) return;
    this.#seen.set(key, document);
    const [oldest] = this.#seen.keys();
    if (this.#seen.size > REMEMBERED && oldest !== undefined) this.#seen.delete(oldest);
  }
}

/** What a budget is before anything was spent: what its run was given. */
async function initialBudget(store: TenantStore, budgetId: string): Promise<Budget | undefined> {
  const run = await store.loadRun(budgetId);
  const policy = run === undefined ? await queuedPolicy(store, budgetId) : run.policy?.budget;
  return policy === undefined ? undefined : openBudget(policy);
}

/** A run below may be given its part before the run above has begun. */
async function queuedPolicy(store: TenantStore, runId: string): Promise<BudgetPolicy | undefined> {
  const { items } = await store.listEntries({ run_id: runId });
  return items.find(({ kind }) => kind === "run")?.request?.policy?.budget;
}

/** Only this file writes documents of this kind. */
function readBudget({ body }: StoredDocument): Budget {
  return completeBudget(body as unknown as Budget);
}
