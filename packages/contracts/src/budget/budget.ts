import { objectOf, optional } from "../shape/object-shape.ts";
import { isPlainObject, narrowed, numberFrom, oneOf, type Shape, wholeNumberFrom } from "../shape/shape.ts";
import type { SnakeCased } from "../shape/stored-names.ts";

/** The consequence of a model call that could exceed the budget: the run fails, a person is asked, or a warning is emitted once. */
export type OnExceeded = "fail" | "pause" | "warn";

/** The amount that a run and all runs below it may spend. */
export interface BudgetOptions {
  /** In millionths of a cent; `usd` converts dollars. */
  readonly limitMicrocents?: number;
  /** Prompt and completion tokens together. */
  readonly limitTokens?: number;
  /** `fail` unless given. */
  readonly onExceeded?: OnExceeded;
  /** Whether a model without a known price may be used under a limit in money; `refuse` unless given. */
  readonly unpriced?: "refuse" | "warn";
  /** Emits a notice once when this share of a limit is spent. */
  readonly warnAtPercent?: number;
}

/** `BudgetOptions` as they are stored. */
export interface BudgetPolicy extends SnakeCased<BudgetOptions> {}

/** An amount of money and tokens, spent or reserved. */
export interface Amount {
  readonly microcents: number;
  readonly tokens: number;
}

/** Notices that were emitted and are not repeated. */
export type BudgetNotice = "near_limit" | "over_limit" | "unpriced";

/**
 * The current state of a budget, stored under the id of the run that owns it.
 *
 * - `spent` and `reserved` together never exceed a limit, however many runs ask at the same time, unless the policy is `warn`.
 * - Before a model is called, the highest possible cost is reserved. After the answer, the actual cost is spent.
 * - A reservation whose run was lost counts as spent, because the model may have answered.
 */
export interface Budget {
  readonly limit_microcents: number | null;
  readonly limit_tokens: number | null;
  readonly on_exceeded: OnExceeded;
  readonly unpriced: "refuse" | "warn";
  readonly warn_at_percent: number | null;
  readonly spent: Amount;
  /** Reservations of attempts in progress, by attempt id. */
  readonly reserved: { readonly [attempt: string]: Amount };
  readonly told: readonly BudgetNotice[];
}

const MICROCENTS_PER_DOLLAR = 100_000_000;

/** Converts dollars to the millionths of a cent that budgets count in. */
export function usd(dollars: number): number {
  return Math.round(dollars * MICROCENTS_PER_DOLLAR);
}

const share = narrowed(numberFrom(0), (percent) =>
  Number(percent) > 0 && Number(percent) <= 100 ? undefined : "a share is above 0 and at most 100",
);

/** A budget as clients may send it. */
export const budgetShape: Shape<BudgetPolicy> = narrowed(
  objectOf<BudgetPolicy>({
    limit_microcents: optional(wholeNumberFrom(0)),
    limit_tokens: optional(wholeNumberFrom(0)),
    on_exceeded: optional(oneOf("fail", "pause", "warn")),
    unpriced: optional(oneOf("refuse", "warn")),
    warn_at_percent: optional(share),
  }),
  (budget) =>
    isPlainObject(budget) && budget.limit_microcents === undefined && budget.limit_tokens === undefined
      ? "a budget has `limit_microcents`, `limit_tokens` or both"
      : undefined,
);
