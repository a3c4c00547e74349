import { invalidRequest, type RunLimits, type RunLimitsPolicy, runLimitsShape } from "@reprise/contracts";
import { toStoredKeys } from "@reprise/contracts/shape";
import { findUncounted } from "../budget/uncounted-limits.ts";
import type { Services } from "../loop/services.ts";
import { sayAuthorProblem } from "../spec/say-problem.ts";

type LimitReader = (
  agentId: string,
  asked: RunLimits | undefined,
  standing: RunLimits | undefined,
) => { readonly limits?: RunLimitsPolicy };

/** Reads the limits of runs below as they are stored: of those asked for and those that always hold, the lower ones. */
export function createLimitReader({ agents, env }: Pick<Services, "agents" | "env">): LimitReader {
  const warned = new Set<string>();

  /** What is set for all agents is not the mistake of a call, so it does not fail for those that run elsewhere. */
  function whereTheyHold(agentId: string, standing: RunLimitsPolicy): RunLimitsPolicy {
    const uncounted: readonly string[] = findUncounted(agents.registries, agentId, standing);
    if (uncounted.length === 0) return standing;
    if (!warned.has(agentId)) {
      warned.add(agentId);
      const message = "limits of all tasks do not hold for an agent that runs elsewhere; only its time is limited";
      env.log("warn", message, { agent_id: agentId, left_out: uncounted });
    }
    return Object.fromEntries(Object.entries(standing).filter(([limit]) => !uncounted.includes(limit)));
  }

  return (agentId, asked = {}, standing = {}) => {
    const held = whereTheyHold(agentId, readStored(standing, "standingLimits"));
    const lowest = lowestOf(readStored(asked, "limits"), held);
    return Object.keys(lowest).length === 0 ? {} : { limits: lowest };
  };
}

function readStored(limits: RunLimits, name: string): RunLimitsPolicy {
  const stored = toStoredKeys(limits);
  const [problem] = runLimitsShape.problems(stored, [name]);
  if (problem !== undefined) throw invalidRequest(`${sayAuthorProblem(problem)}.`);
  return stored;
}

function lowestOf(one: RunLimitsPolicy, other: RunLimitsPolicy): RunLimitsPolicy {
  const lower = (limit: keyof RunLimitsPolicy): RunLimitsPolicy => {
    const given = [one[limit], other[limit]].filter((most) => most !== undefined);
    return given.length === 0 ? {} : { [limit]: Math.min(...given) };
  };
  return {
    ...lower("limit_tokens"),
    ...lower("limit_microcents"),
    ...lower("limit_tool_calls"),
    ...lower("limit_ms"),
  };
}
