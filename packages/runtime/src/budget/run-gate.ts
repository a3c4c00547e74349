import {
  type Amount,
  activeAgentOf,
  type Budget,
  costOf,
  type Env,
  type ModelSpec,
  mediaCostOf,
  RepriseError,
} from "@reprise/contracts";
import type { AttemptEnd, AttemptGate, AttemptTicket, PlannedAttempt } from "../route/attempt-gate.ts";
import { AttemptRefused } from "../route/attempt-gate.ts";
import type { Delegation, EventSink, RunView } from "../run/ports.ts";
import { BudgetExceeded } from "./budget-exceeded.ts";
import type { BudgetStep } from "./change-budget.ts";
import type { RunBudget } from "./run-budget.ts";
import { tellBudget } from "./tell-budget.ts";
import { worstCaseOf } from "./worst-case.ts";

/** The attempt as the host's hook sees it. */
export interface ModelAttemptInfo extends PlannedAttempt {
  readonly tenant: string;
  readonly runId: string;
  readonly threadId: string;
  readonly agentId: string;
}

/** Called before anything is sent to a model, also before a retry. Throwing fails the run, and nothing is sent. */
export type BeforeModelAttempt = (attempt: ModelAttemptInfo) => void | Promise<void>;

/** The parts of a run that its gate looks at. */
export interface GatedRun extends Pick<RunView, "run" | "claim">, Pick<EventSink, "emit"> {
  readonly budget: RunBudget | undefined;
  readonly services: {
    readonly env: Pick<Env, "log">;
    readonly beforeModelAttempt?: BeforeModelAttempt | undefined;
    readonly delegation: Pick<Delegation, "heed">;
  };
}

/** Whether anything may stop a request before it is sent. */
export function isGated({ budget, services, run }: Pick<GatedRun, "budget" | "services" | "run">): boolean {
  return budget !== undefined || services.beforeModelAttempt !== undefined || isInTree(run);
}

function isInTree({ root_run_id, has_children, heeds }: GatedRun["run"]): boolean {
  return root_run_id !== undefined || has_children === true || heeds !== undefined;
}

/** Stands before every attempt of one inference: the tree of the run, the embedder's hook, then the budget. */
export class RunGate implements AttemptGate {
  readonly #workspace: GatedRun;
  readonly #stepId: string;
  readonly #name: string;
  readonly #settling: Promise<unknown>[] = [];
  readonly #open = new Set<AttemptTicket>();
  #budget: Budget | undefined;
  #attempts = 0;

  /** @param name tells the attempts of this inference from those of others in the run. */
  constructor(workspace: GatedRun, stepId: string, name: string = `s${workspace.run.steps}`) {
    this.#workspace = workspace;
    this.#stepId = stepId;
    this.#name = name;
  }

  /** The budget as it last stood. */
  get budget(): Budget | undefined {
    return this.#budget;
  }

  async open(attempt: PlannedAttempt): Promise<AttemptTicket> {
    try {
      await this.#heedTree(attempt);
      await this.#askHook(attempt);
      const { budget } = this.#workspace;
      return budget === undefined ? freeTicket(attempt) : await this.#reserve(budget, attempt);
    } catch (error) {
      throw new AttemptRefused(error);
    }
  }

  /** Settles what never said how it ended, and waits for all that is under way: what comes next counts on it. */
  async close(): Promise<void> {
    for (const ticket of this.#open) ticket.ended("unknown");
    await Promise.all(this.#settling);
  }

  /** A run whose tree was cancelled may not have heard of it yet: it must not send anything, and waits until it has. */
  async #heedTree({ request: { signal } }: PlannedAttempt): Promise<void> {
    const { services, claim, run } = this.#workspace;
    if (!isInTree(run) || !(await services.delegation.heed(claim.tenant, run))) return;
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    signal.throwIfAborted();
  }

  async #askHook(attempt: PlannedAttempt): Promise<void> {
    const { services, claim, run } = this.#workspace;
    const { run_id, thread_id } = run;
    await services.beforeModelAttempt?.({
      ...attempt,
      tenant: claim.tenant,
      runId: run_id,
      threadId: thread_id,
      agentId: activeAgentOf(run),
    });
  }

  async #reserve(budget: RunBudget, attempt: PlannedAttempt): Promise<AttemptTicket> {
    const { spec, request } = attempt;
    const { amount, answer, most } = worstCaseOf(request, spec);
    const name = `${this.#name}a${++this.#attempts}`;
    if (!isPriced(spec)) await this.#assertMayBeUnpriced(budget, attempt);
    const step = await budget.reserve(name, amount, answer);
    this.#note(step);
    if (step.isRefused) throw new BudgetExceeded(step.budget, most, step.refusedBy);
    const ticket: AttemptTicket = {
      // Said to the provider too: only then it is the most that can come.
      request: { ...request, options: { ...request.options, max_tokens: step.answerTokens ?? 0 } },
      ended: (end) => {
        if (this.#open.delete(ticket)) this.#settle(budget, name, spentOf(end, attempt));
      },
    };
    this.#open.add(ticket);
    return ticket;
  }

  /** A cost that cannot be counted: refused, or reported once. */
  async #assertMayBeUnpriced(budget: RunBudget, { model }: PlannedAttempt): Promise<void> {
    const step = await budget.change({ type: "tell", notice: "unpriced" });
    const { unpriced } = step.budget;
    if (!budget.isLimitedIn(step.budget, "microcents")) return;
    if (unpriced === "warn") return this.#note(step);
    throw new RepriseError(
      "MODEL_UNPRICED",
      `The price of ${model} is unknown, and its run has a limit in money. Give the model a price, or set unpriced: "warn" on the budget.`,
      { details: { model } },
    );
  }

  /** Not awaited by the stream, but by the closing gate. A store that is away keeps the reservation, which is on the safe side. */
  #settle(budget: RunBudget, name: string, amount: Amount | null): void {
    const { env } = this.#workspace.services;
    const settled = budget.settle(name, amount).then(
      (step) => this.#note(step),
      (error: unknown) => env.log("error", "what a model call cost could not be settled", { problem: String(error) }),
    );
    this.#settling.push(settled);
  }

  #note({ budget, told }: BudgetStep): void {
    this.#budget = budget;
    for (const notice of told) tellBudget(this.#workspace, this.#stepId, budget, notice);
  }
}

function isPriced(spec: ModelSpec | undefined): boolean {
  return (spec?.surface === "generative" ? mediaCostOf(1, spec.pricing) : costOf({}, spec?.pricing)).priced;
}

function freeTicket({ request }: PlannedAttempt): AttemptTicket {
  return { request, ended: () => undefined };
}

/** The cost of an attempt; null when it is unknown. */
function spentOf(end: AttemptEnd, { spec }: PlannedAttempt): Amount | null {
  if (end === "refused") return { microcents: 0, tokens: 0 };
  if (end === "unknown") return null;
  if ("amount" in end) return end.amount;
  const { prompt_tokens, completion_tokens } = end.usage;
  // A provider that says nothing of what it used, or that it used nothing, leaves us with what was reserved.
  if (!prompt_tokens && !completion_tokens) return null;
  const { microcents } = costOf(end.usage, spec?.pricing);
  return { microcents, tokens: (prompt_tokens ?? 0) + (completion_tokens ?? 0) };
}
