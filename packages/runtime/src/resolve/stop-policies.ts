import type { AgentSpec, StopConditionSpec, StopPolicy } from "@reprise/contracts";
import { stopPolicyOf } from "../stop/stop-policy-of.ts";
import type { RegistrySet } from "./registry-set.ts";
import { missing } from "./resolve-errors.ts";

/** When the runs of an agent stop: its declared conditions, `max_rounds` unless one of them says it, its own policies. */
export function resolveStopPolicies({ stopPolicies }: RegistrySet, spec: AgentSpec): readonly StopPolicy[] {
  const own = spec.stop_condition_ids.map((id) => {
    const policy = stopPolicies.get(id);
    if (policy !== undefined) return policy;
    const remedy = "Register it with withStopPolicy.";
    const known = stopPolicies.ids();
    throw missing({ code: "STOP_POLICY_NOT_FOUND", agentId: spec.id, what: "stop policy", id, known, remedy });
  });
  return [...lowerMaxRounds(spec).map(stopPolicyOf), ...own];
}

function lowerMaxRounds({ stop_condition_specs, max_rounds }: AgentSpec): readonly StopConditionSpec[] {
  if (stop_condition_specs.some(({ type }) => type === "max_rounds")) return stop_condition_specs;
  return [...stop_condition_specs, { type: "max_rounds", rounds: max_rounds }];
}
