import { type Decision, type Termination, type ToolCallRecord, toolPending, toolSuccess } from "@reprise/contracts";
import { getAt, type Json } from "@reprise/state";
import { BUDGET_CALL } from "../budget/budget-call.ts";
import type { BudgetExceeded } from "../budget/budget-exceeded.ts";
import { committedOf } from "../budget/budget-room.ts";
import type { RunBudget } from "../budget/run-budget.ts";
import type { Outside } from "../run/ports.ts";
import { askAbout } from "../thread/ask-about.ts";
import { openQuestion } from "./open-question.ts";
import { endCall, moveCall, type SettlingRun, suspendCall } from "./settle-call.ts";

/** The parts of a run that a question about its budget touches. */
export interface BudgetedRun extends SettlingRun, Outside {
  readonly budget: RunBudget | undefined;
  /** How the run is to end, when a decision said so. */
  ending: Termination | undefined;
}

/**
 * Asks a person for more. The question is a call of the runtime's own, with the limits it asks for as its arguments: to approve is to
 * set them, to edit is to set others, to deny ends the run.
 */
export function askForBudget(
  workspace: BudgetedRun,
  stepId: string,
  { budget, needed, message }: BudgetExceeded,
): void {
  const used = {
    microcents: committedOf(budget, undefined, "microcents"),
    tokens: committedOf(budget, undefined, "tokens"),
  };
  const asked = {
    ...(budget.limit_microcents !== null && {
      limit_microcents: proposed(budget.limit_microcents, used.microcents + needed.microcents),
    }),
    ...(budget.limit_tokens !== null && { limit_tokens: proposed(budget.limit_tokens, used.tokens + needed.tokens) }),
  };
  const call = openQuestion(workspace, stepId, BUDGET_CALL, asked);
  const ticket = askAbout(call, BUDGET_CALL, message);
  suspendCall(workspace, call, ticket, toolPending(BUDGET_CALL, ticket));
}

/** As much again, or as much as the next call needs. */
function proposed(limit: number, needed: number): number {
  return Math.max(limit * 2, needed);
}

/** Does what was decided about a budget. */
export async function decideBudget(
  workspace: BudgetedRun,
  suspended: ToolCallRecord,
  decision: Decision,
): Promise<void> {
  if (decision.action === "cancel") {
    const detail = decision.reason ?? "no more was granted";
    endCall(workspace, suspended, toolSuccess(BUDGET_CALL, { granted: false, reason: detail }), "cancel");
    workspace.ending = { type: "stopped", value: { code: "budget_exceeded", detail } };
    return;
  }
  const limits = readLimits(decision.arguments ?? decision.result ?? suspended.arguments);
  const { budget, effects } = workspace;
  await effects.perform({ kind: "budget", of: suspended.call_id, encode: () => undefined }, async () =>
    budget?.change({ type: "set_limit", ...limits }),
  );
  const decided = moveCall(workspace, suspended, "decide");
  endCall(workspace, decided, toolSuccess(BUDGET_CALL, { granted: true, ...limits }), "succeed");
}

/** The problem with requested limits; undefined when they can be set. */
export function findLimitProblem(given: Json): string | undefined {
  const named = LIMITS.filter((key) => getAt(given, [key]) !== undefined);
  if (named.length === 0) return `they name neither ${LIMITS.join(" nor ")}`;
  const wrong = named.find((key) => readLimit(given, key) === undefined);
  return wrong === undefined ? undefined : `${wrong} must be a whole number from 0 on`;
}

const LIMITS = ["limit_microcents", "limit_tokens"] as const;

/** The limits of an answer. What makes no sense is left as it is: then the next model call asks again. */
function readLimits(given: Json): { readonly limit_microcents?: number; readonly limit_tokens?: number } {
  const microcents = readLimit(given, "limit_microcents");
  const tokens = readLimit(given, "limit_tokens");
  return {
    ...(microcents !== undefined && { limit_microcents: microcents }),
    ...(tokens !== undefined && { limit_tokens: tokens }),
  };
}

function readLimit(given: Json, key: string): number | undefined {
  const limit = getAt(given, [key]);
  return typeof limit === "number" && Number.isSafeInteger(limit) && limit >= 0 ? limit : undefined;
}
