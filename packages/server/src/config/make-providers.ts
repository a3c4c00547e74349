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
  const { apiKey, problem } = findKey(auth, [...path, "auth", "name"], ports);
  if (problem !== undefined) return { items: [], problems: [problem] };
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

/** The key a provider is asked with. One that is not there, or may not be named, is a problem where it is named. */
function findKey(
  auth: ProviderConfig["auth"],
  path: ShapePath,
  { variable }: ConfigPorts,
): { readonly apiKey?: string; readonly problem?: ConfigProblem } {
  if (auth === undefined) return {};
  if (auth.kind === "token") return { apiKey: auth.value };
  try {
    const apiKey = readSecret(auth, variable);
    return apiKey === undefined
      ? { problem: problemAt(path, ` is ${auth.name}, a variable that is not set`) }
      : { apiKey };
  } catch (error) {
    if (!RepriseError.is(error)) throw error;
    return { problem: problemAt(path, ` is ${auth.name}: ${error.message}`) };
  }
}

/** The text of a foreign error is not meant for users and may contain anything. */
function describeFailure(error: unknown, path: ShapePath, secrets: readonly string[]): ConfigProblem {
  const problem = problemAt(path, " cannot be made into a provider");
  return RepriseError.is(error) ? { ...problem, message: withoutSecrets(error.message, secrets) } : problem;
}
