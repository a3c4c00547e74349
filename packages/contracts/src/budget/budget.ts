import type { Json, JsonObject } from "@reprise/state";

/** What happens when a model call could go beyond a budget: the run fails, a person is asked, or it is said once. */
export type OnExceeded = "fail" | "pause" | "warn";

/** What a run may spend, together with every run below it. */
export interface BudgetPolicy {
  /** In millionths of a cent; `usd` makes one of dollars. */
  readonly limit_microcents?: number;
  /** Tokens, read and written. */
  readonly limit_tokens?: number;
  /** `fail` unless it is given. */
  readonly on_exceeded?: OnExceeded;
  /** Whether a model whose price nobody knows may be asked under a limit in money; `refuse` unless it is given. */
  readonly unpriced?: "refuse" | "warn";
  /** Says so, once, when this share of a limit is spent. */
  readonly warn_at_percent?: number;
}

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

/** What is wrong with a budget somebody asks for; undefined when nothing is. */
export function findBudgetProblem(policy: Json): string | undefined {
  if (typeof policy !== "object" || policy === null || Array.isArray(policy)) return "a budget is an object";
  // A JSON value that is an object and no list.
  const given = policy as JsonObject;
  const unknown = Object.keys(given).find((key) => !(key in FIELDS));
  if (unknown !== undefined)
    return `a budget has no field ${JSON.stringify(unknown)}; it has ${Object.keys(FIELDS).join(", ")}`;
  for (const [key, [isRight, what]] of Object.entries(FIELDS)) {
    if (given[key] !== undefined && !isRight(given[key])) return `${key} is ${what}`;
  }
  const hasLimit = given.limit_microcents !== undefined || given.limit_tokens !== undefined;
  return hasLimit ? undefined : "a budget has limit_microcents, limit_tokens or both";
}

const isCount = (value: Json): boolean => Number.isSafeInteger(value) && Number(value) >= 0;

const FIELDS: { readonly [key: string]: readonly [isRight: (value: Json) => boolean, what: string] } = {
  limit_microcents: [isCount, "a whole number from 0 on, in millionths of a cent"],
  limit_tokens: [isCount, "a whole number from 0 on"],
  on_exceeded: [(value) => value === "fail" || value === "pause" || value === "warn", "fail, pause or warn"],
  unpriced: [(value) => value === "refuse" || value === "warn", "refuse or warn"],
  warn_at_percent: [
    (value) => typeof value === "number" && value > 0 && value <= 100,
    "a number above 0 and at most 100",
  ],
};
