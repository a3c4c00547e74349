import type { AgentSpec, FallbackEntry } from "@reprise/contracts";
import { ONE_ATTEMPT, type RetrySettings } from "../route/route-entry.ts";
import type { FoundFallback } from "./build-route.ts";
import { lookUpModel } from "./look-up-model.ts";
import type { RegistrySet } from "./registry-set.ts";
import { DEFAULT_BACKOFF } from "./retry.ts";

/** Who stands in for an agent's model, in order. */
export function lookUpFallbacks(registries: RegistrySet, spec: AgentSpec): readonly FoundFallback[] {
  return spec.fallback_models.map((fallback) => {
    const found = lookUpModel(registries, spec.id, fallbackId(fallback));
    return typeof fallback === "string" ? found : { ...found, settings: settingsOf(fallback) };
  });
}

/** The id of a model that stands in. */
function fallbackId(fallback: string | FallbackEntry): string {
  if (typeof fallback === "string") return fallback;
  return fallback.provider === undefined ? fallback.model : `${fallback.provider}/${fallback.model}`;
}

function settingsOf({ max_attempts = 1, backoff_ms = DEFAULT_BACKOFF.backoffMs }: FallbackEntry): RetrySettings {
  if (max_attempts <= 1) return ONE_ATTEMPT;
  return { ...DEFAULT_BACKOFF, maxAttempts: max_attempts, backoffMs: backoff_ms, overloadedBackoffMs: backoff_ms };
}
