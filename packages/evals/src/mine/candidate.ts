import type { BudgetPolicy, Plugin } from "@reprise/contracts";
import {
  describeProblem,
  json,
  listOf,
  nonEmptyText,
  type ObjectShape,
  objectOf,
  oneOf,
  optional,
  wholeNumberFrom,
} from "@reprise/contracts/shape";
import type { Agent, Definitions } from "@reprise/runtime";
import type { Json } from "@reprise/state";
import { invalidCase } from "../case/read-case.ts";

/** Rules that are not in force yet: what is given takes the place of what the agents have. */
export interface Candidate {
  /** The section of the plugin `permission`. */
  readonly permission?: Json;
  readonly budget?: BudgetPolicy;
  /** The catalogue: which tools the agents have. */
  readonly allowed_tools?: readonly string[];
  readonly allowed_tool_patterns?: readonly string[];
  readonly excluded_tools?: readonly string[];
  readonly excluded_tool_patterns?: readonly string[];
  readonly max_rounds?: number;
}

const names = optional(listOf(nonEmptyText));

const CANDIDATE: ObjectShape<Candidate> = objectOf<Candidate>({
  permission: optional(json),
  budget: optional(
    objectOf<BudgetPolicy>({
      limit_microcents: optional(wholeNumberFrom(0)),
      limit_tokens: optional(wholeNumberFrom(0)),
      limit_tool_calls: optional(wholeNumberFrom(0)),
      limit_ms: optional(wholeNumberFrom(1)),
      on_exceeded: optional(oneOf("fail", "pause", "warn")),
      unpriced: optional(oneOf("refuse", "warn")),
      warn_at_percent: optional(wholeNumberFrom(1)),
    }),
  ),
  allowed_tools: names,
  allowed_tool_patterns: names,
  excluded_tools: names,
  excluded_tool_patterns: names,
  max_rounds: optional(wholeNumberFrom(1)),
});

/** Refuses what is no candidate, with everything that is wrong: `EVAL_CASE_INVALID`. */
export function readCandidate(value: unknown, name = "The policy"): Candidate {
  const problems = CANDIDATE.problems(value, []).map((problem) => describeProblem(problem));
  if (problems.length > 0) throw invalidCase(`${name} is not valid: ${problems.join("; ")}.`, { problems });
  // Its shape was just checked.
  return value as Candidate;
}

/** A candidate whose limits count as well for answers that take no time, and its limit of time. */
export function withoutTime({ budget, ...candidate }: Candidate): { played: Candidate; limitMs: number | undefined } {
  if (budget === undefined) return { played: candidate, limitMs: undefined };
  const { limit_ms: limitMs, ...limits } = budget;
  return { played: { ...candidate, budget: limits }, limitMs };
}

/** Agents as they would be under a candidate. `permission` is for agents that do not have the plugin yet. */
export function withCandidate(definitions: Definitions, candidate: Candidate, permission?: Plugin): Definitions {
  const { agents = [] } = definitions;
  return { ...definitions, agents: agents.map((agent) => changed(agent, candidate, permission)) };
}

function changed(agent: Agent, { permission: rules, ...fields }: Candidate, permission?: Plugin): Agent {
  // Only agents that have a model take tools and budgets.
  if (agent.spec.endpoint !== undefined || agent.spec.compose !== undefined || agent.spec.program !== undefined)
    return agent;
  const spec = withoutEmptyBudget({ ...agent.spec, ...fields });
  if (rules === undefined) return { ...agent, spec };
  const sections = { ...spec.sections, permission: rules };
  const isThere = permission === undefined || spec.plugin_ids.includes(permission.id);
  if (isThere) return { ...agent, spec: { ...spec, sections } };
  const plugin_ids = [...spec.plugin_ids, permission.id];
  return { ...agent, plugins: [...agent.plugins, permission], spec: { ...spec, sections, plugin_ids } };
}

/** A budget that limits nothing is none. */
function withoutEmptyBudget(spec: Agent["spec"]): Agent["spec"] {
  const { budget, ...rest } = spec;
  const isLimited = budget !== undefined && Object.keys(budget).some((key) => key.startsWith("limit_"));
  return isLimited ? spec : rest;
}
