import { type ObjectShape, objectOf, optional } from "../shape/object-shape.ts";
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
  /** Tool calls that are executed. One more is refused, and the model reads why. */
  readonly limitToolCalls?: number;
  /** The time from when the run is accepted until it is over, in milliseconds. Then it is cancelled, with everything below it. */
  readonly limitMs?: number;
  /** `fail` unless given. */
  readonly onExceeded?: OnExceeded;
  /** Whether a model without a known price may be used under a limit in money; `refuse` unless given. */
  readonly unpriced?: "refuse" | "warn";
  /** Emits a notice once when this share of a limit is spent. */
  readonly warnAtPercent?: number;
}

/** `BudgetOptions` as they are stored. */
export interface BudgetPolicy extends SnakeCased<BudgetOptions> {}

/** The limits of a run below another. They are set aside in the budget above before the run starts, if there is one. */
export type RunLimits = Pick<BudgetOptions, "limitMicrocents" | "limitTokens" | "limitToolCalls" | "limitMs">;

/** An amount of money, tokens and tool calls, spent or reserved. */
export interface Amount {
  readonly microcents: number;
  readonly tokens: number;
  /** Counted only where a limit of tool calls holds. */
  readonly tool_calls?: number;
}

/** The reservation of an attempt in progress. */
export interface Reservation extends Amount {
  /** The run whose attempt it is. */
  readonly run_id: string;
  /** The epoch of the owner that made the attempt. The next owner of the run counts it as spent. */
  readonly epoch: number;
  /** The run whose allotment it draws on; absent when it draws on the budget itself. */
  readonly allotment?: string;
}

/**
 * The part of a budget that a run below its owner may spend, with everything below that run.
 *
 * - No more than a limit is ever spent or reserved by the run and the runs below it.
 * - While it is `held`, the part that is not used yet is set aside: no other run of the tree can spend it.
 * - It is held from before the run starts until the run is over. Its limits hold also afterwards, for runs in the background below it.
 */
export interface Allotment {
  /** The run that asked for it. */
  readonly given_by: string;
  /** The run whose allotment it is a part of; absent when it is a part of the budget itself. */
  readonly above?: string;
  readonly limit_microcents: number | null;
  readonly limit_tokens: number | null;
  readonly limit_tool_calls: number | null;
  /** By the run and everything below it. */
  readonly spent: Amount;
  readonly held: boolean;
}

/** Notices that were emitted and are not repeated. */
export type BudgetNotice = "near_limit" | "over_limit" | "unpriced";

/**
 * The current state of a budget, stored under the id of the run that owns it.
 *
 * - `spent` and `reserved` together never exceed a limit, however many runs ask at the same time, unless the policy is `warn`.
 * - Before a model is called, the highest possible cost is reserved. After the answer, the actual cost is spent.
 * - A reservation whose run was lost counts as spent, because the model may have answered.
 * - The unused parts of allotments that are held count like reservations.
 */
export interface Budget {
  readonly limit_microcents: number | null;
  readonly limit_tokens: number | null;
  readonly limit_tool_calls: number | null;
  readonly on_exceeded: OnExceeded;
  readonly unpriced: "refuse" | "warn";
  readonly warn_at_percent: number | null;
  readonly spent: Amount;
  /** Reservations of attempts in progress, by attempt id. */
  readonly reserved: { readonly [attempt: string]: Reservation };
  /** The parts that runs below were given, by the ids of those runs. */
  readonly allotments: { readonly [runId: string]: Allotment };
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

const LIMITS = {
  limit_microcents: optional(wholeNumberFrom(0)),
  limit_tokens: optional(wholeNumberFrom(0)),
  limit_tool_calls: optional(wholeNumberFrom(0)),
  limit_ms: optional(wholeNumberFrom(1)),
} as const;

/** Limits of a run below, as they are stored. */
export interface RunLimitsPolicy extends SnakeCased<RunLimits> {}

export const runLimitsShape: ObjectShape<RunLimitsPolicy> = objectOf<RunLimitsPolicy>(LIMITS);

/** A budget as clients may send it. */
export const budgetShape: Shape<BudgetPolicy> = narrowed(
  objectOf<BudgetPolicy>({
    ...LIMITS,
    on_exceeded: optional(oneOf("fail", "pause", "warn")),
    unpriced: optional(oneOf("refuse", "warn")),
    warn_at_percent: optional(share),
  }),
  (budget) =>
    isPlainObject(budget) && Object.keys(LIMITS).every((limit) => budget[limit] === undefined)
      ? "a budget has at least one of `limit_microcents`, `limit_tokens`, `limit_tool_calls` and `limit_ms`"
      : undefined,
);
