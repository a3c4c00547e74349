import { type ModelProvider, RepriseError } from "@reprise/contracts";
import type { Config, ProviderConfig } from "./config.ts";
import type { ConfigPorts, ProviderSettings } from "./config-ports.ts";
import type { ConfigProblem } from "./config-problem.ts";
import { keyIn, type Place, problemAt, ROOT } from "./place.ts";
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
  const place = keyIn(keyIn(ROOT, "providers"), id);
  const { adapter_kind, endpoint, auth, headers = {} } = provider;
  const apiKey = auth === undefined ? undefined : auth.kind === "token" ? auth.value : readSecret(auth, ports.env);
  if (auth?.kind === "env" && apiKey === undefined) {
    const problem = problemAt(keyIn(keyIn(place, "auth"), "name"), `is ${auth.name}, a variable that is not set`);
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
    return { items: [], problems: [describeFailure(error, place, secrets)] };
  }
}

/** What a foreign error says was written for nobody, and may hold anything. */
function describeFailure(error: unknown, place: Place, secrets: readonly string[]): ConfigProblem {
  if (!RepriseError.is(error)) return problemAt(place, "cannot be made into a provider");
  return { path: place.path, message: withoutSecrets(error.message, secrets) };
}
