import type { Allotment, Amount, Budget, BudgetNotice, BudgetPolicy, Reservation } from "@reprise/contracts";
import { committedOf, leftFor, NOTHING, plus, UNITS, type Unit } from "./budget-room.ts";

/** Everything that can happen to a budget. `allotment` names the run whose part of the budget is meant; without it, the budget itself is. */
export type BudgetChange =
  /** Before a model is asked: what the request costs, and as much for its answer as is left. */
  | {
      readonly type: "reserve";
      readonly attempt: Attempt;
      readonly amount: Amount;
      readonly answer?: AnswerRange;
      readonly allotment?: string;
    }
  /** After it answered. What was settled before stays as it is; null means that the cost is unknown, and the reservation counts. */
  | { readonly type: "settle"; readonly attempt: Attempt; readonly amount: Amount | null }
  /** A run continues under a new owner: what earlier ones reserved for it, and did not settle, may have been spent. */
  | { readonly type: "take_over"; readonly run_id: string; readonly epoch: number }
  /** Before a run below starts: its part of the budget, or of the allotment above. */
  | {
      readonly type: "allot";
      readonly run_id: string;
      readonly given_by: string;
      readonly above?: string;
      readonly limits: AllottedLimits;
    }
  /** The run that had the allotment is over: what it did not use is free again. */
  | { readonly type: "return"; readonly run_id: string }
  /** Before a tool call is executed. */
  | { readonly type: "count_call"; readonly allotment?: string }
  | ({ readonly type: "set_limit"; readonly allotment?: string } & Pick<
      AllottedLimits,
      "limit_microcents" | "limit_tokens"
    >)
  | { readonly type: "tell"; readonly notice: BudgetNotice };

/** A request to a model: of a run, under one of its owners, and which of theirs it is. */
export interface Attempt {
  readonly run_id: string;
  readonly epoch: number;
  readonly name: string;
}

export type AllottedLimits = Pick<BudgetPolicy, "limit_microcents" | "limit_tokens" | "limit_tool_calls">;

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
  /** The run whose allotment is too small; absent when the budget itself is. */
  readonly refusedBy?: string;
  /** How many tokens the answer may have for which something was reserved. */
  readonly answerTokens?: number;
  readonly told: readonly BudgetNotice[];
}

export function openBudget(policy: BudgetPolicy): Budget {
  return {
    limit_microcents: policy.limit_microcents ?? null,
    limit_tokens: policy.limit_tokens ?? null,
    limit_tool_calls: policy.limit_tool_calls ?? null,
    on_exceeded: policy.on_exceeded ?? "fail",
    unpriced: policy.unpriced ?? "refuse",
    warn_at_percent: policy.warn_at_percent ?? null,
    spent: NOTHING,
    reserved: {},
    allotments: {},
    told: [],
  };
}

/** A budget that was stored before there were allotments has none, and one from before reservations named their runs had only the ids of attempts. */
export function completeBudget(stored: Budget): Budget {
  const budget = stored.allotments === undefined ? { ...stored, limit_tool_calls: null, allotments: {} } : stored;
  const held = Object.entries(budget.reserved);
  if (held.every(([, { run_id }]) => run_id !== undefined)) return budget;
  const reserved = held.map(([id, reservation]) => [id, { ...readAttemptId(id), ...reservation }] as const);
  return { ...budget, reserved: Object.fromEntries(reserved) };
}

/** A run's id may look like a part of an attempt's, so the way in which steps name their attempts comes first. */
function readAttemptId(id: string): Pick<Reservation, "run_id" | "epoch"> {
  const [, run_id = id, epoch = 0] = /^(.+)-e(\d+)-s\d+a\d+$/.exec(id) ?? /^(.+?)-e(\d+)-/.exec(id) ?? [];
  return { run_id, epoch: Number(epoch) };
}

/** The one way a budget changes. Pure: it is retried on the current state until no other writer came between. */
export function changeBudget(budget: Budget, change: BudgetChange): BudgetStep {
  switch (change.type) {
    case "reserve":
      return reserve(budget, change);
    case "settle":
      return settle(budget, attemptIdOf(change.attempt), change.amount);
    case "take_over":
      return takeOver(budget, change.run_id, change.epoch);
    case "allot":
      return allot(budget, change);
    case "return":
      return giveBack(budget, change.run_id);
    case "count_call":
      return countCall(budget, change.allotment);
    case "set_limit":
      return setLimit(budget, change);
    case "tell":
      return tell(budget, change.notice);
    default:
      return change satisfies never;
  }
}

/** The key of an attempt in its budget. */
function attemptIdOf({ run_id, epoch, name }: Attempt): string {
  return `${run_id}-e${epoch}-${name}`;
}

function reserve(budget: Budget, { attempt, amount, answer = NO_ANSWER, allotment }: Change<"reserve">): BudgetStep {
  const id = attemptIdOf(attempt);
  const held = budget.reserved[id];
  if (held !== undefined) return { ...done(budget), answerTokens: held.tokens - amount.tokens };
  // The limits of an allotment are hard, whatever the budget does at its own.
  const narrow = roomFor(budget, allotment, { amount, answer, within: "allotments" });
  if (narrow.tokens < answer.least) return refused(budget, narrow.by);
  const wide = roomFor(budget, allotment, { amount, answer, within: "all" });
  const isOver = wide.tokens < answer.least;
  if (isOver && budget.on_exceeded !== "warn") return refused(budget, wide.by);
  const answerTokens = Math.min((isOver ? narrow : wide).tokens, answer.most);
  const whole = plus(amount, { microcents: Math.ceil(answerTokens * answer.microcents), tokens: answerTokens });
  const { run_id, epoch } = attempt;
  const reservation: Reservation = { run_id, epoch, ...whole, ...(allotment !== undefined && { allotment }) };
  const reserved = { ...budget, reserved: { ...budget.reserved, [id]: reservation } };
  return { ...(isOver ? tell(reserved, "over_limit") : done(reserved)), answerTokens };
}

type Change<Type extends BudgetChange["type"]> = Extract<BudgetChange, { readonly type: Type }>;

const NO_ANSWER: AnswerRange = { least: 0, most: 0, microcents: 0 };

interface Room {
  /** How many tokens of an answer there is room for; below zero when there is none for the request itself. */
  readonly tokens: number;
  /** The allotment that has the least. */
  readonly by: string | undefined;
}

function roomFor(
  budget: Budget,
  allotment: string | undefined,
  {
    amount,
    answer,
    within,
  }: { readonly amount: Amount; readonly answer: AnswerRange; readonly within: "allotments" | "all" },
): Room {
  const tokens = leftFor(budget, allotment, "tokens", within);
  const money = leftFor(budget, allotment, "microcents", within);
  const moneyLeft = money.left - amount.microcents;
  if (moneyLeft < 0) return { tokens: -1, by: money.by };
  const bought = answer.microcents === 0 ? Number.POSITIVE_INFINITY : Math.floor(moneyLeft / answer.microcents);
  const rest = tokens.left - amount.tokens;
  return rest <= bought ? { tokens: rest, by: tokens.by } : { tokens: bought, by: money.by };
}

function settle(budget: Budget, attemptId: string, amount: Amount | null): BudgetStep {
  const { [attemptId]: held, ...reserved } = budget.reserved;
  if (held === undefined) return done(budget);
  const { allotment, run_id: _run, epoch: _epoch, ...whole } = held;
  const settled = spend({ ...budget, reserved }, allotment, amount ?? whole);
  return isNear(settled) ? tell(settled, "near_limit") : done(settled);
}

/** Adds to what is spent of an allotment, of every one above it, and of the budget. */
function spend(budget: Budget, allotment: string | undefined, amount: Amount): Budget {
  const allotments: Record<string, Allotment> = { ...budget.allotments };
  let part = allotment === undefined ? undefined : allotments[allotment];
  for (let id = allotment; part !== undefined && id !== undefined; ) {
    allotments[id] = { ...part, spent: plus(part.spent, amount) };
    id = part.above;
    part = id === undefined ? undefined : allotments[id];
  }
  return { ...budget, spent: plus(budget.spent, amount), allotments };
}

function takeOver(budget: Budget, runId: string, epoch: number): BudgetStep {
  let left = budget;
  for (const [attemptId, reservation] of Object.entries(budget.reserved))
    if (reservation.run_id === runId && reservation.epoch < epoch) left = settle(left, attemptId, null).budget;
  return done(left);
}

function allot(budget: Budget, { run_id, given_by, above, limits }: Change<"allot">): BudgetStep {
  if (budget.allotments[run_id] !== undefined) return done(budget);
  const lacking = findLack(budget, above, (unit) => limits[`limit_${unit}`]);
  if (lacking !== undefined) return refused(budget, lacking.by);
  const allotment: Allotment = {
    given_by,
    ...(above !== undefined && { above }),
    limit_microcents: limits.limit_microcents ?? null,
    limit_tokens: limits.limit_tokens ?? null,
    limit_tool_calls: limits.limit_tool_calls ?? null,
    spent: NOTHING,
    held: true,
  };
  return done({ ...budget, allotments: { ...budget.allotments, [run_id]: allotment } });
}

/** The first limit that has no room for as much more. A budget that only warns has room for everything. */
function findLack(
  budget: Budget,
  allotment: string | undefined,
  more: (unit: Unit) => number | undefined,
): { readonly by: string | undefined } | undefined {
  const within = budget.on_exceeded === "warn" ? "allotments" : "all";
  for (const unit of UNITS) {
    const { left, by } = leftFor(budget, allotment, unit, within);
    if ((more(unit) ?? 0) > Math.max(left, 0)) return { by };
  }
  return undefined;
}

/** What the owners of the run reserved and did not settle may have been spent. */
function giveBack(budget: Budget, runId: string): BudgetStep {
  const allotment = budget.allotments[runId];
  if (allotment?.held !== true) return done(budget);
  const { budget: settled } = takeOver(budget, runId, Number.POSITIVE_INFINITY);
  const returned = { ...(settled.allotments[runId] ?? allotment), held: false };
  return done({ ...settled, allotments: { ...settled.allotments, [runId]: returned } });
}

function countCall(budget: Budget, allotment: string | undefined): BudgetStep {
  const one = { microcents: 0, tokens: 0, tool_calls: 1 };
  const narrow = leftFor(budget, allotment, "tool_calls", "allotments");
  if (narrow.left < 1) return refused(budget, narrow.by);
  const isOver = leftFor(budget, allotment, "tool_calls", "all").left < 1;
  if (isOver && budget.on_exceeded !== "warn") return refused(budget, undefined);
  const counted = spend(budget, allotment, one);
  return isOver ? tell(counted, "over_limit") : done(counted);
}

function setLimit(budget: Budget, { type: _type, allotment, ...limits }: Change<"set_limit">): BudgetStep {
  if (allotment === undefined) {
    // With more room the same things are news again.
    return done({ ...budget, ...limits, told: budget.told.filter((notice) => notice === "unpriced") });
  }
  const part = budget.allotments[allotment];
  if (part === undefined) return done(budget);
  const raised = { ...budget, allotments: { ...budget.allotments, [allotment]: { ...part, ...limits } } };
  // What an allotment gets more is set aside above it, as the whole was.
  const more = (unit: Unit): number => committedOf(raised, part.above, unit) - committedOf(budget, part.above, unit);
  const lacking = part.held ? findLack(budget, part.above, more) : undefined;
  return lacking === undefined ? done(raised) : refused(budget, lacking.by);
}

function tell(budget: Budget, notice: BudgetNotice): BudgetStep {
  if (budget.told.includes(notice)) return done(budget);
  return { budget: { ...budget, told: [...budget.told, notice] }, isRefused: false, told: [notice] };
}

function done(budget: Budget): BudgetStep {
  return { budget, isRefused: false, told: [] };
}

function refused(budget: Budget, by: string | undefined): BudgetStep {
  return { budget, isRefused: true, told: [], ...(by !== undefined && { refusedBy: by }) };
}

function isNear({ limit_microcents, limit_tokens, warn_at_percent, spent }: Budget): boolean {
  if (warn_at_percent === null) return false;
  const share = warn_at_percent / 100;
  const isMoneyNear = limit_microcents !== null && spent.microcents >= limit_microcents * share;
  return isMoneyNear || (limit_tokens !== null && spent.tokens >= limit_tokens * share);
}
