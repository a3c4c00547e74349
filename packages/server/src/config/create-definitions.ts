import type { ModelProvider } from "@reprise/contracts";
import { type Agent, type Definitions, isModelPool } from "@reprise/runtime";
import { findReferenceProblems, type KnownNames } from "./agent-references.ts";
import type { Config } from "./config.ts";
import { formatPath, isWithin } from "./config-path.ts";
import type { ConfigPorts } from "./config-ports.ts";
import { type ConfigProblem, configInvalid } from "./config-problem.ts";
import { withDefaults } from "./known-names.ts";
import { findSectionProblems, makeAgents } from "./make-agents.ts";
import { makeModels } from "./make-models.ts";
import { makeProviders } from "./make-providers.ts";
import { missingBackend } from "./not-installed.ts";
import { standInModel, standInProvider, tryBuild } from "./try-build.ts";

/**
 * Makes of a configuration what a runtime takes. Secrets are looked up here. Throws `CONFIG_INVALID` with every problem: what is
 * named and not there, what cannot be made, and what the runtime would say.
 */
export function createDefinitions(config: Config, ports: ConfigPorts): Definitions {
  const given = definitionsIn(ports);
  const providers = makeProviders(config, ports);
  const allProviders = withDefaults(providers.items, given.providers);
  const providerIds = [...new Set([...Object.keys(config.providers), ...allProviders.map(({ id }) => id)])];
  const surroundings = { providers: allProviders, providerIds, models: given.models ?? [] };
  const models = makeModels(config, surroundings);
  const agents = makeAgents(config);
  const definitions: Definitions = {
    ...given,
    agents: withDefaults(agents, given.agents),
    models: withDefaults([...models.items], given.models),
    providers: allProviders,
    backends: withDefaults(given.backends ?? [], [missingBackend]),
  };
  const known = namesIn(definitions, providerIds);
  const references = agents.map(({ spec }, index) => findReferenceProblems(config, index, spec, known));
  const found = [
    ...providers.problems,
    ...models.problems,
    ...findSectionProblems(config, given.plugins ?? []),
    ...references.flat(),
  ];
  const problems = [...found, ...findFurther(config, definitions, known, found)];
  if (problems.length > 0) throw configInvalid(problems);
  return definitions;
}

/** The ports without what only a configuration needs, and without what the embedder keeps in the same object. */
function definitionsIn(ports: ConfigPorts): Definitions {
  const { agents, tools, models, providers, plugins, stopPolicies, backends, programs, contextPlugins } = ports;
  return {
    ...(agents !== undefined && { agents }),
    ...(tools !== undefined && { tools }),
    ...(models !== undefined && { models }),
    ...(providers !== undefined && { providers }),
    ...(plugins !== undefined && { plugins }),
    ...(stopPolicies !== undefined && { stopPolicies }),
    ...(backends !== undefined && { backends }),
    ...(programs !== undefined && { programs }),
    ...(contextPlugins !== undefined && { contextPlugins }),
  };
}

function namesIn(definitions: Definitions, providerIds: readonly string[]): KnownNames {
  const { models = [], plugins = [], providers = [], stopPolicies = [], backends = [] } = definitions;
  return {
    providers,
    providerIds,
    models,
    pluginIds: plugins.map(({ id }) => id),
    stopPolicyIds: stopPolicies.map(({ id }) => id),
    backendIds: backends.map(({ id }) => id),
  };
}

/** What the runtime would say besides. What is already found has a stand-in, and an agent that is already found wrong is left out. */
function findFurther(
  config: Config,
  definitions: Definitions,
  { providerIds }: KnownNames,
  found: readonly ConfigProblem[],
): readonly ConfigProblem[] {
  const { agents = [], models = [], providers = [] } = definitions;
  const isSound = ({ id }: Agent): boolean => {
    const path = formatPath(["agents", config.agents.findIndex((entry) => entry.id === id)]);
    return !found.some((problem) => isWithin(problem.path, path));
  };
  const named = models.flatMap((model) => ("provider" in model ? [model.provider] : []));
  const members = models.flatMap((model) => (isModelPool(model) ? model.pool.map((member) => member.model) : []));
  const missing = [...providerIds, ...named].filter((id) => !providers.some((provider) => provider.id === id));
  const unknown = members.filter((id) => !id.includes("/") && !models.some((model) => model.id === id));
  const standIns: readonly ModelProvider[] = [...new Set(missing)].map(standInProvider);
  return tryBuild(config, {
    ...definitions,
    agents: agents.filter(isSound),
    models: [...models, ...[...new Set(unknown)].map(standInModel)],
    providers: [...providers, ...standIns],
  });
}
