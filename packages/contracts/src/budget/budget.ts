import { objectOf, optional } from "../shape/object-shape.ts";
import { isPlainObject, narrowed, numberFrom, oneOf, type Shape, wholeNumberFrom } from "../shape/shape.ts";
import type { SnakeCased } from "../shape/stored-names.ts";

/** What happens when a model call could go beyond a budget: the run fails, a person is asked, or it is said once. */
export type OnExceeded = "fail" | "pause" | "warn";

/** What a run may spend, together with every run below it. */
export interface BudgetOptions {
  /** In millionths of a cent; `usd` makes one of dollars. */
  readonly limitMicrocents?: number;
  /** Tokens, read and written. */
  readonly limitTokens?: number;
  /** `fail` unless it is given. */
  readonly onExceeded?: OnExceeded;
  /** Whether a model whose price nobody knows may be asked under a limit in money; `refuse` unless it is given. */
  readonly unpriced?: "refuse" | "warn";
  /** Says so, once, when this share of a limit is spent. */
  readonly warnAtPercent?: number;
}

/** `BudgetOptions` as they are stored. */
export interface BudgetPolicy extends SnakeCased<BudgetOptions> {}

/** Money and tokens: what something took, or may take. */
export interface Amount {
  readonly microcents: number;
  readonly tokens: number;
}

/** What was said once and is not said again. */
export type BudgetNotice = "near_limit" | "over_limit" | "unpriced";

/**
 * A budget as it stands, kept under the id of the run it belongs to.
 *
 * - `spent` and `reserved` together never exceed a limit, whoever asks at the same time, unless the policy is `warn`.
 * - Before a model is asked, the most that the answer can cost is reserved; when it is there, what it cost is spent.
 * - What was reserved by somebody who is gone counts as spent: it may have been.
 */
export interface Budget {
  readonly limit_microcents: number | null;
  readonly limit_tokens: number | null;
  readonly on_exceeded: OnExceeded;
  readonly unpriced: "refuse" | "warn";
  readonly warn_at_percent: number | null;
  readonly spent: Amount;
  /** For attempts under way, by their ids. */
  readonly reserved: { readonly [attempt: string]: Amount };
  readonly told: readonly BudgetNotice[];
}

const MICROCENTS_PER_DOLLAR = 100_000_000;

/** Dollars as the millionths of a cent that budgets count in. */
export function usd(dollars: number): number {
  return Math.round(dollars * MICROCENTS_PER_DOLLAR);
}

const share = narrowed(numberFrom(0), (percent) =>
  Number(percent) > 0 && Number(percent) <= 100 ? undefined : "a share is above 0 and at most 100",
);

/** Budgets as people may ask for them. */
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
