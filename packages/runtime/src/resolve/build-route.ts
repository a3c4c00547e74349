import type { Env, LanguageModel } from "@reprise/contracts";
import type { ModelHealth } from "../route/model-health.ts";
import { ModelRoute } from "../route/model-route.ts";
import { rankPool, type Weighted } from "../route/rank-pool.ts";
import type { RetrySettings, RouteEntry } from "../route/route-entry.ts";
import type { FoundModel } from "./look-up-model.ts";
import type { Retry } from "./retry.ts";

/** What a route is built of: a model and those that stand in for it, and how patient one is with each. */
export interface RoutePlan {
  readonly primary: FoundModel;
  readonly fallbacks: readonly FoundFallback[];
  readonly retry: Retry;
}

/** A model that stands in, and how patient one is with it when that is another matter than with the first. */
export interface FoundFallback extends FoundModel {
  readonly settings?: RetrySettings;
}

/** The model an agent speaks through: one that was given by value is a route of one, with the same patience and the same facts. */
export function buildRoute(
  { primary, fallbacks, retry }: RoutePlan,
  { env, health }: { readonly env: Env; readonly health: ModelHealth },
): LanguageModel {
  const choices = [primary, ...fallbacks].map((found) => choicesOf(found, retry));
  const isFixed = choices.every(({ length }) => length === 1);
  const fixed = choices.flatMap((pool) => pool.map(({ item }) => item));
  const entriesFor = isFixed
    ? () => fixed
    : (key: string) =>
        choices.flatMap((pool) => (pool.length === 1 ? pool.map(({ item }) => item) : rankPool(env, key, pool)));
  const id = primary.pool?.id ?? primary.modelSpec?.id ?? primary.model.id;
  return new ModelRoute({ id, entriesFor, brokenStreams: retry.brokenStreams, health, env });
}

/** The models that one position of a route may ask. */
function choicesOf(found: FoundFallback, retry: Retry): readonly Weighted<RouteEntry>[] {
  const members = found.pool?.members ?? [{ weight: 1, found }];
  return members.map(({ weight, found: member }) => {
    const item = toEntry(member, found.settings ?? retry.settings);
    return { name: item.modelId, weight, item };
  });
}

function toEntry({ model, modelSpec, refreshAuth }: FoundModel, settings: RetrySettings): RouteEntry {
  return {
    provider: modelSpec?.provider ?? model.id,
    modelId: modelSpec?.id ?? model.id,
    model,
    ...(modelSpec !== undefined && { spec: modelSpec }),
    ...(refreshAuth !== undefined && { refreshAuth }),
    retry: settings,
  };
}
