import type { AgentSpec, BudgetPolicy, ComposedStep, Composition, RunLimits } from "@reprise/contracts";
import { toStoredKeys } from "@reprise/contracts/shape";
import type { Json, JsonObject } from "@reprise/state";
import { readSpec } from "../spec/read-agent-spec.ts";
import { sayAuthorProblem } from "../spec/say-problem.ts";
import type { Agent } from "./define-agent.ts";

/** An agent that does a part: itself or its id, with or without an input and limits of its own. */
export type Part =
  | Agent
  | string
  | { readonly agent: Agent | string; readonly input?: string; readonly limits?: RunLimits };

/** What every composed agent has. */
export interface ComposedDefinition<Id extends string> {
  readonly id: Id;
  readonly name?: string;
  readonly description?: string;
  /** The budget of each run of this agent and the runs below it. */
  readonly budget?: BudgetPolicy;
  /** JSON Schema of the answer. An answer that fits is the outcome's `output`. */
  readonly outputSchema?: JsonObject;
}

export interface SequenceDefinition<Id extends string> extends ComposedDefinition<Id> {
  /** One after the other. Each gets the answer of the one before, unless it has an `input` of its own. */
  readonly steps: readonly Part[];
}

export interface ParallelDefinition<Id extends string> extends ComposedDefinition<Id> {
  /** All on the same input. */
  readonly steps: readonly Part[];
  /** How many work at the same time. 10 unless given. */
  readonly maxConcurrency?: number;
  /** `fail_fast`, the default: the first failure ends the others and the run. `collect`: a failure is an entry of the answer. */
  readonly onFailure?: "fail_fast" | "collect";
}

export interface RefineDefinition<Id extends string> extends ComposedDefinition<Id> {
  readonly generator: Part;
  /** Answers with PASS, or with what is wrong; or with JSON: `{ "pass": false, "feedback": "…" }`. */
  readonly critic: Part;
  /** How many answers are judged at most. 3 unless given. */
  readonly maxRounds?: number;
}

/** An agent that has agents work one after the other. Its answer is the last one's. */
export function sequence<const Id extends string>({ steps, ...definition }: SequenceDefinition<Id>): Agent<Id> {
  return compose(definition, { type: "sequence", steps: steps.map(describePart) }, steps);
}

/** An agent that has agents work on the same input at the same time. Its answer is a JSON array in the order of the steps. */
export function parallel<const Id extends string>(definition: ParallelDefinition<Id>): Agent<Id> {
  const { steps, maxConcurrency, onFailure, ...rest } = definition;
  const composition: Composition = {
    type: "parallel",
    steps: steps.map(describePart),
    ...(maxConcurrency !== undefined && { max_concurrency: maxConcurrency }),
    ...(onFailure !== undefined && { on_failure: onFailure }),
  };
  return compose(rest, composition, steps);
}

/** An agent that has one agent write and another one judge, until the answer passes. */
export function refine<const Id extends string>(definition: RefineDefinition<Id>): Agent<Id> {
  const { generator, critic, maxRounds, ...rest } = definition;
  const composition: Composition = {
    type: "refine",
    generator: describePart(generator),
    critic: describePart(critic),
    ...(maxRounds !== undefined && { max_rounds: maxRounds }),
  };
  return compose(rest, composition, [generator, critic]);
}

function compose<Id extends string>(
  { id, name, description, budget, outputSchema }: ComposedDefinition<Id>,
  composition: Composition,
  parts: readonly Part[],
): Agent<Id> {
  const fields = { id, name, description, budget, output_schema: outputSchema, compose: composition };
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  const spec: AgentSpec = readSpec(given as { readonly [key: string]: Json }, sayAuthorProblem);
  const agents = parts.map(agentOf).filter((agent) => typeof agent !== "string");
  return Object.freeze({ id, spec, tools: [], plugins: [], stopPolicies: [], parts: agents });
}

function describePart(part: Part): ComposedStep {
  const agent = agentOf(part);
  const id = typeof agent === "string" ? agent : agent.id;
  if (typeof part !== "object" || !("agent" in part)) return { agent: id };
  const { input, limits } = part;
  return {
    agent: id,
    ...(input !== undefined && { input }),
    ...(limits !== undefined && { limits: toStoredKeys(limits) }),
  };
}

function agentOf(part: Part): Agent | string {
  return typeof part === "object" && "agent" in part ? part.agent : part;
}
