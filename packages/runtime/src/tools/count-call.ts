import type { Budget, BudgetFact, ToolCallRecord } from "@reprise/contracts";
import type { RunBudget } from "../budget/run-budget.ts";
import { describeBudget } from "../budget/tell-budget.ts";
import type { EventSink, Outside, RunView } from "../run/ports.ts";

/** The parts of a run that count its calls. */
export interface CountingRun extends Pick<RunView, "run">, Outside, Pick<EventSink, "emit"> {
  readonly budget: RunBudget | undefined;
}

/** A call as the budget counted it. Made of JSON: it is stored as an effect. */
type Counted =
  | { readonly granted: true; readonly over?: BudgetFact }
  | { readonly granted: false; readonly limit: number; readonly given_to?: string };

/**
 * Counts a call that is about to be executed, where a limit of tool calls holds. Returns why it may not be executed, when the limit is reached. A
 * call that is executed again after a crash counts once; one whose beginning was not committed counts again. A call in the background counts when it is started, and not when its run makes it.
 */
export async function countCall(
  workspace: CountingRun,
  { call_id, step_id }: ToolCallRecord,
): Promise<string | undefined> {
  const { run, budget, effects } = workspace;
  if (run.counts_calls !== true || run.policy?.by_hand?.is_counted === true) return undefined;
  const encode = (counted: Counted) => ({ ...counted }) as Record<never, never>;
  const counted = await effects.perform({ kind: "budget", of: `${call_id}-count`, encode }, () => count(budget));
  if (!counted.granted) {
    const whose = counted.given_to === undefined ? "the budget of this run" : `run ${counted.given_to}`;
    return `The limit of ${counted.limit} tool calls of ${whose} is reached. Answer with what you have.`;
  }
  if (counted.over !== undefined) workspace.emit("budget_warning", { reason: "over_limit", ...counted.over }, step_id);
  return undefined;
}

async function count(budget: RunBudget | undefined): Promise<Counted> {
  if (budget === undefined) return { granted: true };
  const { isRefused, refusedBy, budget: now, told } = await budget.countCall();
  if (!isRefused) return { granted: true, ...(told.includes("over_limit") && { over: describeBudget(now) }) };
  return {
    granted: false,
    limit: limitOf(now, refusedBy),
    ...(refusedBy !== undefined && { given_to: refusedBy }),
  };
}

function limitOf(budget: Budget, allotment: string | undefined): number {
  return ((allotment === undefined ? undefined : budget.allotments[allotment]) ?? budget).limit_tool_calls ?? 0;
}
