import { type ModelProvider, RepriseError } from "@reprise/contracts";
import type { ShapePath } from "@reprise/contracts/shape";
import type { Config, ProviderConfig } from "./config.ts";
import type { ConfigPorts, ProviderSettings } from "./config-ports.ts";
import { type ConfigProblem, problemAt } from "./config-problem.ts";
import { readSecret, secretsIn, withoutSecrets } from "./secrets.ts";

/** What was made of some entries, and what is wrong with those of which nothing was. */
export interface Made<Item> {
  readonly items: readonly Item[];
  readonly problems: readonly ConfigProblem[];
}

/** Makes the providers of a configuration, and looks their secrets up. */
export function makeProviders({ providers }: Config, ports: ConfigPorts): Made<ModelProvider> {
  const made = Object.entries(providers).map(([id, provider]) => makeProvider(id, provider, ports));
  return {
    items: made.flatMap(({ items }) => items),
    problems: made.flatMap(({ problems }) => problems),
  };
}

function makeProvider(id: string, provider: ProviderConfig, ports: ConfigPorts): Made<ModelProvider> {
  const path = ["providers", id];
  const { adapter_kind, endpoint, auth, headers = {} } = provider;
  const apiKey = auth === undefined ? undefined : auth.kind === "token" ? auth.value : readSecret(auth, ports.env);
  if (auth?.kind === "env" && apiKey === undefined) {
    const problem = problemAt([...path, "auth", "name"], ` is ${auth.name}, a variable that is not set`);
    return { items: [], problems: [problem] };
  }
  const settings: ProviderSettings = {
    ...(adapter_kind !== undefined && { adapterKind: adapter_kind }),
    ...(endpoint !== undefined && { endpoint }),
    ...(apiKey !== undefined && { apiKey }),
    headers,
  };
  try {
    return { items: [ports.createProvider(id, settings)], problems: [] };
  } catch (error) {
    const secrets = [...secretsIn(provider), ...(apiKey === undefined ? [] : [apiKey])];
    return { items: [], problems: [describeFailure(error, path, secrets)] };
  }
}

/** What a foreign error says was written for nobody, and may hold anything. */
function describeFailure(error: unknown, path: ShapePath, secrets: readonly string[]): ConfigProblem {
  const problem = problemAt(path, " cannot be made into a provider");
  return RepriseError.is(error) ? { ...problem, message: withoutSecrets(error.message, secrets) } : problem;
}
