import type { Json } from "@reprise/state";
import { type BudgetOptions, type BudgetPolicy, budgetShape } from "../budget/budget.ts";
import { findOversize, MAX_POLICY_BYTES } from "../json/bounded-json.ts";
import { openObjectOf, optional } from "../shape/object-shape.ts";
import { isPlainObject, listOf, narrowed, type Shape, text } from "../shape/shape.ts";
import type { SnakeCased } from "../shape/stored-names.ts";

/** Restricts a run further than its agent: deny wins. An absent list allows all, an empty one allows none. */
export interface RunPolicyOptions {
  readonly allowedTools?: readonly string[];
  readonly excludedTools?: readonly string[];
  readonly allowedSkills?: readonly string[];
  readonly excludedSkills?: readonly string[];
  readonly allowedAgents?: readonly string[];
  readonly excludedAgents?: readonly string[];
  /** The budget of the run and all runs below it. Below a run with a budget it is an allotment: a part of that budget, set aside for this run. */
  readonly budget?: BudgetOptions;
}

/** `RunPolicyOptions` as they are stored. */
export interface RunPolicy extends SnakeCased<Omit<RunPolicyOptions, "budget">> {
  readonly budget?: BudgetPolicy;
  /** A single call that a client asked for: no model is called. Set by the runtime; refused from clients. */
  readonly by_hand?: HandCall;
}

/** A tool call that no model asked for. */
export interface HandCall {
  readonly tool_id: string;
  readonly arguments: Json;
  /** The call that started the run counts for it where tool calls are limited: both are the same call of a tool, made in the background. */
  readonly is_counted?: true;
}

const ids = optional(listOf(text));

/** A policy as clients may send it. */
export const RUN_POLICY: Shape<RunPolicy> = narrowed(
  openObjectOf<Omit<RunPolicy, "by_hand">>({
    allowed_tools: ids,
    excluded_tools: ids,
    allowed_skills: ids,
    excluded_skills: ids,
    allowed_agents: ids,
    excluded_agents: ids,
    budget: optional(budgetShape),
  }),
  (policy) => {
    if (isPlainObject(policy) && policy.by_hand !== undefined) return "by_hand is set by the runtime alone";
    const bytes = findOversize(policy, MAX_POLICY_BYTES);
    return bytes === undefined ? undefined : `at most ${MAX_POLICY_BYTES} bytes as JSON are taken (got ${bytes})`;
  },
);
