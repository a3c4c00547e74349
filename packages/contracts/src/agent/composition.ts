import type { RunLimitsPolicy } from "../budget/budget.ts";

/** A part of a composed agent: the agent that does it, and its input. */
export interface ComposedStep {
  readonly agent: string;
  /**
   * The input of the agent. `{input}` stands for the input of the whole, `{previous}` for the answer of the step before. Without it a step of a
   * sequence gets `{previous}`, and any other step `{input}`.
   */
  readonly input?: string;
  /** Limits of each run of this step, set aside in the budget of the whole. */
  readonly limits?: RunLimitsPolicy;
}

/** An agent by its id, or with an input of its own. */
export type ComposedPart = string | ComposedStep;

/**
 * A fixed way for agents to work together, without a model in between.
 * - `sequence`: one after the other, each with the answer of the one before. The last answer is the answer.
 * - `parallel`: all on the same input, at most `max_concurrency` (10) at a time. The answer is a JSON array in the order of the steps. With `fail_fast`,
 *   the default, the first failure ends the others and the run; with `collect` it is an entry of the array.
 * - `refine`: `critic` judges what `generator` writes, until it passes or `max_rounds` (3) were made.
 */
export type Composition =
  | { readonly type: "sequence"; readonly steps: readonly ComposedPart[] }
  | {
      readonly type: "parallel";
      readonly steps: readonly ComposedPart[];
      readonly max_concurrency?: number;
      readonly on_failure?: "fail_fast" | "collect";
    }
  | {
      readonly type: "refine";
      readonly generator: ComposedPart;
      readonly critic: ComposedPart;
      readonly max_rounds?: number;
    };

/** A part with its fields. */
export function stepOf(part: ComposedPart): ComposedStep {
  return typeof part === "string" ? { agent: part } : part;
}

/** The agents that a composition names, each once. */
export function partsOf(composition: Composition): readonly string[] {
  const parts = composition.type === "refine" ? [composition.generator, composition.critic] : composition.steps;
  return [...new Set(parts.map((part) => stepOf(part).agent))];
}
