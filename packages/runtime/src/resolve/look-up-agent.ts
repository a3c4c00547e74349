import { RepriseError } from "@reprise/contracts";
import type { FoundFallback } from "./build-route.ts";
import { lookUpFallbacks } from "./look-up-fallbacks.ts";
import { type FoundModel, lookUpModel } from "./look-up-model.ts";
import type { AgentEntry, RegistrySet } from "./registry-set.ts";
import { sayKnown, unresolvable } from "./resolve-errors.ts";
import { type Retry, readRetry } from "./retry.ts";

/** What the first stage finds: the agent, the model it speaks through, and how patient it is with it. */
export interface FoundAgent extends FoundModel {
  readonly entry: AgentEntry;
  readonly fallbacks: readonly FoundFallback[];
  readonly retry: Retry;
}

export function lookUpEntry(registries: RegistrySet, agentId: string): AgentEntry {
  const entry = registries.agents.get(agentId);
  if (entry !== undefined) return entry;
  const known = sayKnown(agentId, registries.agents.ids());
  throw new RepriseError("AGENT_NOT_FOUND", `There is no agent ${JSON.stringify(agentId)}.${known}`, {
    details: { id: agentId },
  });
}

/** First stage: from an agent that runs here to its model. */
export function lookUpAgent(registries: RegistrySet, entry: AgentEntry): FoundAgent {
  const { spec } = entry;
  if (spec.endpoint !== undefined) {
    throw unresolvable(
      "REMOTE_AGENT_NOT_DIRECTLY_RUNNABLE",
      spec.id,
      "it has an endpoint and runs elsewhere, so it cannot be resolved as a local agent. Resolve a run plan instead.",
    );
  }
  const retry = readRetry(spec);
  const fallbacks = lookUpFallbacks(registries, spec);
  return { entry, retry, fallbacks, ...findModel(registries, entry) };
}

function findModel(registries: RegistrySet, { spec, model }: AgentEntry): FoundModel {
  if (model !== undefined) return { model };
  if (spec.model !== undefined) return lookUpModel(registries, spec.id, spec.model);
  const known = registries.models.ids();
  throw unresolvable("MODEL_NOT_FOUND", spec.id, `it has no model.${sayKnown("", known)} Set \`model\`.`);
}
