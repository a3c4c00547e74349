import type { AgentSpec } from "@reprise/contracts";
import { findGlobProblem } from "../spec/glob.ts";
import type { CatalogueLists } from "./catalogue-filter.ts";
import { unresolvable } from "./resolve-errors.ts";

/** Fields of a spec that hold patterns. */
const PATTERN_FIELDS = [
  "allowed_tool_patterns",
  "excluded_tool_patterns",
  "allowed_skill_patterns",
  "excluded_skill_patterns",
  "allowed_agent_patterns",
  "excluded_agent_patterns",
] as const satisfies readonly (keyof AgentSpec)[];

export function toolLists(spec: AgentSpec): CatalogueLists {
  return {
    allowed: spec.allowed_tools,
    allowedPatterns: spec.allowed_tool_patterns,
    excluded: spec.excluded_tools,
    excludedPatterns: spec.excluded_tool_patterns,
  };
}

export function agentLists(spec: AgentSpec): CatalogueLists {
  return {
    allowed: spec.allowed_agents,
    allowedPatterns: spec.allowed_agent_patterns,
    excluded: spec.excluded_agents,
    excludedPatterns: spec.excluded_agent_patterns,
  };
}

/** A spec need not have come through `readAgentSpec`. */
export function assertPatterns(spec: AgentSpec): void {
  for (const field of PATTERN_FIELDS) {
    for (const pattern of spec[field] ?? []) {
      const problem = findGlobProblem(pattern);
      if (problem !== undefined) throw unresolvable("INVALID_AGENT_SPEC", spec.id, `\`${field}\`: ${problem}.`);
    }
  }
}
