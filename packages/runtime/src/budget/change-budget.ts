import type { Amount, Budget, BudgetNotice, BudgetPolicy } from "@reprise/contracts";

/** Everything that can happen to a budget. */
export type BudgetChange =
  /** Before a model is asked: what the request costs, and as much for its answer as is left. */
  | { readonly type: "reserve"; readonly attempt: string; readonly amount: Amount; readonly answer?: AnswerRange }
  /** After it answered. What was settled before stays as it is; null means that the cost is unknown, and the reservation counts. */
  | { readonly type: "settle"; readonly attempt: string; readonly amount: Amount | null }
  /** A run continues under a new owner: what earlier ones reserved for it, and did not settle, may have been spent. */
  | { readonly type: "take_over"; readonly run_id: string; readonly epoch: number }
  | { readonly type: "set_limit"; readonly limit_microcents?: number; readonly limit_tokens?: number }
  | { readonly type: "tell"; readonly notice: BudgetNotice };

/** How many tokens an answer may have, from the fewest that make sense to the most it can have, and what each of them costs. */
export interface AnswerRange {
  readonly least: number;
  readonly most: number;
  readonly microcents: number;
}

/** What came of it. `told`: what is to be said now, for the first time. */
export interface BudgetStep {
  readonly budget: Budget;
  readonly isRefused: boolean;
  /** How many tokens the answer may have for which something was reserved. */
  readonly answerTokens?: number;
  readonly told: readonly BudgetNotice[];
}

const NOTHING: Amount = { microcents: 0, tokens: 0 };

export function openBudget(policy: BudgetPolicy): Budget {
  return {
    limit_microcents: policy.limit_microcents ?? null,
    limit_tokens: policy.limit_tokens ?? null,
    on_exceeded: policy.on_exceeded ?? "fail",
    unpriced: policy.unpriced ?? "refuse",
    warn_at_percent: policy.warn_at_percent ?? null,
    spent: NOTHING,
    reserved: {},
    told: [],
  };
}

/** The one way a budget changes. Pure: it is retried on the current state until no other writer came between. */
export function changeBudget(budget: Budget, change: BudgetChange): BudgetStep {
  switch (change.type) {
    case "reserve":
      return reserve(budget, change);
    case "settle":
      return settle(budget, change.attempt, change.amount);
    case "take_over":
      return takeOver(budget, change.run_id, change.epoch);
    case "set_limit":
      return done({
        ...budget,
        ...(change.limit_microcents !== undefined && { limit_microcents: change.limit_microcents }),
        ...(change.limit_tokens !== undefined && { limit_tokens: change.limit_tokens }),
        // With more room the same things are news again.
        told: budget.told.filter((notice) => notice === "unpriced"),
      });
    case "tell":
      return tell(budget, change.notice);
    default:
      return change satisfies never;
  }
}

/** What is spent and what is spoken for. */
export function committedOf({ spent, reserved }: Budget): Amount {
  return Object.values(reserved).reduce(plus, spent);
}

/** Names an attempt: a run, its owner's epoch, and which attempt of theirs it is. */
export function attemptIdOf(runId: string, epoch: number, attempt: string): string {
  return `${runId}-e${epoch}-${attempt}`;
}

function reserve(budget: Budget, { attempt, amount, answer = NO_ANSWER }: Reservation): BudgetStep {
  const held = budget.reserved[attempt];
  if (held !== undefined) return { ...done(budget), answerTokens: held.tokens - amount.tokens };
  const room = roomFor(budget, amount, answer);
  const isOver = room < answer.least;
  if (isOver && budget.on_exceeded !== "warn") return { budget, isRefused: true, told: [] };
  const answerTokens = isOver ? answer.most : Math.min(room, answer.most);
  const whole = plus(amount, { microcents: Math.ceil(answerTokens * answer.microcents), tokens: answerTokens });
  const reserved = { ...budget, reserved: { ...budget.reserved, [attempt]: whole } };
  return { ...(isOver ? tell(reserved, "over_limit") : done(reserved)), answerTokens };
}

type Reservation = Extract<BudgetChange, { readonly type: "reserve" }>;

const NO_ANSWER: AnswerRange = { least: 0, most: 0, microcents: 0 };

/** How many tokens of an answer there is room for; below zero when there is none for the request itself. */
function roomFor(budget: Budget, amount: Amount, answer: AnswerRange): number {
  const { limit_microcents, limit_tokens } = budget;
  const { microcents, tokens } = plus(committedOf(budget), amount);
  const tokensLeft = limit_tokens === null ? Number.POSITIVE_INFINITY : limit_tokens - tokens;
  const moneyLeft = limit_microcents === null ? Number.POSITIVE_INFINITY : limit_microcents - microcents;
  if (moneyLeft < 0) return -1;
  return Math.min(
    tokensLeft,
    answer.microcents === 0 ? Number.POSITIVE_INFINITY : Math.floor(moneyLeft / answer.microcents),
  );
}

function settle(budget: Budget, attempt: string, amount: Amount | null): BudgetStep {
  const { [attempt]: held, ...reserved } = budget.reserved;
  if (held === undefined) return done(budget);
  const spent = plus(budget.spent, amount ?? held);
  const settled = { ...budget, spent, reserved };
  return isNear(settled) ? tell(settled, "near_limit") : done(settled);
}

function takeOver(budget: Budget, runId: string, epoch: number): BudgetStep {
  let left = budget;
  for (const attempt of Object.keys(budget.reserved)) {
    const before = attempt.startsWith(`${runId}-e`)
      ? /^(\d+)-s\d+a\d+$/.exec(attempt.slice(runId.length + 2))?.[1]
      : undefined;
    if (before !== undefined && Number(before) < epoch) left = settle(left, attempt, null).budget;
  }
  return done(left);
}

function tell(budget: Budget, notice: BudgetNotice): BudgetStep {
  if (budget.told.includes(notice)) return done(budget);
  return { budget: { ...budget, told: [...budget.told, notice] }, isRefused: false, told: [notice] };
}

function done(budget: Budget): BudgetStep {
  return { budget, isRefused: false, told: [] };
}

function isNear({ limit_microcents, limit_tokens, warn_at_percent, spent }: Budget): boolean {
  if (warn_at_percent === null) return false;
  const share = warn_at_percent / 100;
  const isMoneyNear = limit_microcents !== null && spent.microcents >= limit_microcents * share;
  return isMoneyNear || (limit_tokens !== null && spent.tokens >= limit_tokens * share);
}

function plus(one: Amount, other: Amount): Amount {
  return { microcents: one.microcents + other.microcents, tokens: one.tokens + other.tokens };
}
