import type { AgentSpec, FallbackEntry } from "@reprise/contracts";
import { ONE_ATTEMPT, type RetrySettings } from "../route/route-entry.ts";
import type { FoundFallback } from "./build-route.ts";
import { lookUpModel } from "./look-up-model.ts";
import type { RegistrySet } from "./registry-set.ts";
import { unresolvable } from "./resolve-errors.ts";
import { DEFAULT_BACKOFF } from "./retry.ts";

/** Who stands in for an agent's model, in order: its `fallback_models`, or its `fallback_chain`. */
export function lookUpFallbacks(registries: RegistrySet, spec: AgentSpec): readonly FoundFallback[] {
  const { id, fallback_models, fallback_chain } = spec;
  if (fallback_chain === undefined) return fallback_models.map((modelId) => lookUpModel(registries, id, modelId));
  if (fallback_models.length > 0) {
    throw unresolvable(
      "INVALID_AGENT_SPEC",
      id,
      "it has both `fallback_models` and `fallback_chain`. Keep one of them.",
    );
  }
  return fallback_chain.map((entry) => ({
    ...lookUpModel(registries, id, entry.provider === undefined ? entry.model : `${entry.provider}/${entry.model}`),
    settings: settingsOf(entry),
  }));
}

function settingsOf({ max_attempts = 1, backoff_ms = DEFAULT_BACKOFF.backoffMs }: FallbackEntry): RetrySettings {
  if (max_attempts <= 1) return ONE_ATTEMPT;
  return { ...DEFAULT_BACKOFF, maxAttempts: max_attempts, backoffMs: backoff_ms, overloadedBackoffMs: backoff_ms };
}
