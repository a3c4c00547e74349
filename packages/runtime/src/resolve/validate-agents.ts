import { type ErrorCode, RepriseError, toRepriseError } from "@reprise/contracts";
import type { RegistrySet } from "./registry-set.ts";
import { dryResolve } from "./resolve-agent.ts";

/** An agent that cannot be resolved. */
export interface ValidationFailure {
  readonly agent_id: string;
  readonly code: ErrorCode;
  readonly message: string;
}

/** Resolves every agent once, so that what is wrong shows at the start and not with the first request. */
export function validateAgents(registries: RegistrySet): void {
  const failures = registries.agents.ids().flatMap((id) => findFailure(registries, id) ?? []);
  if (failures.length === 0) return;
  const said = failures.map(({ message }) => message).join("\n");
  throw new RepriseError("VALIDATION_FAILED", `${failures.length} of the agents cannot be resolved:\n${said}`, {
    details: { failures },
  });
}

function findFailure(registries: RegistrySet, agentId: string): ValidationFailure | undefined {
  try {
    dryResolve(registries, agentId);
    return undefined;
  } catch (error) {
    const { code, message } = toRepriseError(error);
    return { agent_id: agentId, code, message };
  }
}
