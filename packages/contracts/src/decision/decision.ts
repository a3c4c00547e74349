import type { Json } from "@reprise/state";
import { named, needed, type ObjectShape, openObjectOf, optional } from "../shape/object-shape.ts";
import { narrowed, nonEmptyText, oneOf, unchecked, wholeNumber } from "../shape/shape.ts";

/** How far a decision reaches beyond its call: to later calls of the thread, or to those of every thread of the user. */
export type Remember = "thread" | "always";

/** The same as clients send it. `true` is `thread`; `false` and `once` are about this call alone. */
export type RememberInput = Remember | "once" | boolean;

const REMEMBER_INPUTS: readonly RememberInput[] = ["once", "thread", "always", true, false];

/**
 * An outside answer to a suspended call, as it is stored. Its key is (tenant, run, call, suspension number): the first one
 * stored wins, and storing the same one again gives the same answer.
 * - approve: `resume`. · deny: `cancel`. · edit: `resume` with `arguments`. · supply: `resume` with `result`.
 */
export interface Decision {
  readonly decision_id: string;
  readonly run_id: string;
  readonly call_id: string;
  /** Which suspension of the call it answers; the first is 1. */
  readonly suspension: number;
  readonly action: "resume" | "cancel";
  /** Replace the call's arguments; checked anew. */
  readonly arguments?: Json;
  /** Used as the call's result. */
  readonly result?: Json;
  readonly reason?: string;
  /** The plugin that asked applies the decision to later calls as well. Absent for a decision about this call alone. */
  readonly remember?: Remember;
  /** What it was made about, when its sender said so: it counts for nothing else. */
  readonly binding_hash?: string;
  readonly updated_at: number;
}

/** A decision as a client sends it. `target_id` is the call's id, its suspension's id or its pending call's id. */
export interface DecisionInput {
  readonly target_id: string;
  readonly decision_id?: string;
  /** Which suspension of the call it answers; the present one unless given. */
  readonly suspension?: number;
  readonly action: "resume" | "cancel";
  readonly arguments?: Json;
  /** Used as the call's result. One that says only yes (`{ approved: true }`) is an approval of a call that would run. */
  readonly result?: Json;
  /** What a front end answered. Used where a call waits for an answer, and not where it waits for a yes. */
  readonly payload?: Json;
  readonly reason?: string;
  readonly remember?: RememberInput;
  /** The binding hash of what was decided about. Needed only when the decision may come before the suspension. */
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

/** The same as people say it. */
export type DecisionVerb =
  | { readonly action: "approve"; readonly reason?: string; readonly remember?: RememberInput }
  | { readonly action: "deny"; readonly reason?: string; readonly remember?: RememberInput }
  | { readonly action: "edit"; readonly arguments: Json; readonly reason?: string; readonly remember?: RememberInput }
  | { readonly action: "supply"; readonly result: Json; readonly reason?: string };

/** What a client may say about remembering, as it is stored. Anything else is about one call: it remembers less, not more. */
export function readRemember(value: unknown): Remember | undefined {
  if (value === true) return "thread";
  return value === "thread" || value === "always" ? value : undefined;
}

export function findRememberProblem(value: unknown): string | undefined {
  if (REMEMBER_INPUTS.some((each) => each === value)) return undefined;
  return `it must be once, thread, always, true or false (got ${JSON.stringify(value)})`;
}

/** The id of a decision whose sender gave none: deciding twice is then deciding once. */
export function derivedDecisionId(callId: string, suspension: number): string {
  return `decision_${callId}_${suspension}`;
}
