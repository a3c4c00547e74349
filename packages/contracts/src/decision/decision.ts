import type { Json } from "@reprise/state";
import { named, needed, type ObjectShape, openObjectOf, optional } from "../shape/object-shape.ts";
import { narrowed, nonEmptyText, oneOf, unchecked, wholeNumber } from "../shape/shape.ts";

/** How far a decision reaches beyond its call: to later calls of the thread, or to those of every thread of the user. */
export type Remember = "thread" | "always";

/** The same as clients send it. `true` is `thread`; `false` and `once` are about this call alone. */
export type RememberInput = Remember | "once" | boolean;

const REMEMBER_INPUTS: readonly RememberInput[] = ["once", "thread", "always", true, false];

/**
 * An answer to a suspended call, as it is stored. Its key is (tenant, run, call, suspension number). The first stored decision
 * wins; storing the same decision again is idempotent.
 * - approve: `resume`. · deny: `cancel`. · edit: `resume` with `arguments`. · supply: `resume` with `result`.
 */
export interface Decision {
  readonly decision_id: string;
  readonly run_id: string;
  readonly call_id: string;
  /** The number of the suspension that it answers; the first is 1. */
  readonly suspension: number;
  readonly action: "resume" | "cancel";
  /** Replaces the call's arguments. They are validated again. */
  readonly arguments?: Json;
  /** Becomes the call's result. */
  readonly result?: Json;
  readonly reason?: string;
  /** The plugin that asked applies the decision to later calls as well. Absent for a decision about this call alone. */
  readonly remember?: Remember;
  /** The binding hash that the sender named. The decision is valid for this call only. */
  readonly binding_hash?: string;
  /** The person or client that decided, by the id that the server authenticated. Absent where there is no authentication. */
  readonly decided_by?: string;
  readonly updated_at: number;
}

/** A decision as a client sends it. `target_id` is the id of the call, of its suspension or of its pending call. */
export interface DecisionInput {
  readonly target_id: string;
  readonly decision_id?: string;
  /** The number of the suspension that it answers; the current one unless given. */
  readonly suspension?: number;
  readonly action: "resume" | "cancel";
  readonly arguments?: Json;
  /** Becomes the call's result. For a call that would run, a result that only says yes (`{ approved: true }`) is an approval. */
  readonly result?: Json;
  /** The answer of a front end. Used for calls that wait for an answer, and ignored for calls that wait for an approval. */
  readonly payload?: Json;
  readonly reason?: string;
  readonly remember?: RememberInput;
  /** The binding hash of the call. Required only when the decision may arrive before the suspension. */
  readonly binding_hash?: string;
}

export const DECISION_INPUT: ObjectShape<DecisionInput> = openObjectOf<DecisionInput>({
  target_id: named(needed(nonEmptyText), "target_id", "targetId"),
  decision_id: named(optional(nonEmptyText), "decision_id", "decisionId"),
  suspension: optional(wholeNumber),
  action: needed(oneOf("resume", "cancel")),
  arguments: optional(unchecked<Json>()),
  result: optional(unchecked<Json>()),
  payload: optional(unchecked<Json>()),
  reason: optional(nonEmptyText),
  remember: optional(narrowed(unchecked<RememberInput>({ enum: [...REMEMBER_INPUTS] }), findRememberProblem)),
  binding_hash: named(optional(nonEmptyText), "binding_hash", "bindingHash"),
});

/** The four decisions by the names people use. */
export type DecisionVerb =
  | { readonly action: "approve"; readonly reason?: string; readonly remember?: RememberInput }
  | { readonly action: "deny"; readonly reason?: string; readonly remember?: RememberInput }
  | { readonly action: "edit"; readonly arguments: Json; readonly reason?: string; readonly remember?: RememberInput }
  | { readonly action: "supply"; readonly result: Json; readonly reason?: string };

/** Reads a client's `remember` into its stored form. Unknown values are not remembered, so the decision is about one call. */
export function readRemember(value: unknown): Remember | undefined {
  if (value === true) return "thread";
  return value === "thread" || value === "always" ? value : undefined;
}

export function findRememberProblem(value: unknown): string | undefined {
  if (REMEMBER_INPUTS.some((each) => each === value)) return undefined;
  return `it must be once, thread, always, true or false (got ${JSON.stringify(value)})`;
}

/** The id of a decision without a `decision_id`, derived from its call and suspension, so that deciding twice is idempotent. */
export function derivedDecisionId(callId: string, suspension: number): string {
  return `decision_${callId}_${suspension}`;
}
