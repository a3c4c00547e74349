import type { RunLimitsPolicy } from "@reprise/contracts";
import type { RegistrySet } from "../resolve/registry-set.ts";

const COUNTED = ["limit_tokens", "limit_microcents", "limit_tool_calls"] as const;

/** The limits that would not hold for a run of an agent: what it does elsewhere is not counted. Its time is. */
export function findUncounted(
  { agents }: Pick<RegistrySet, "agents">,
  agentId: string,
  limits: RunLimitsPolicy,
): readonly (typeof COUNTED)[number][] {
  if (agents.get(agentId)?.spec.endpoint === undefined) return [];
  return COUNTED.filter((limit) => limits[limit] !== undefined);
}
