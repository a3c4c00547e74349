import { type ModelProvider, RepriseError } from "@reprise/contracts";
import { findNearest } from "@reprise/contracts/shape";
import { environmentProviders, openaiCompatible, PROVIDER_VARIABLES, type ProviderVariables } from "@reprise/models";
import type { ProviderSettings } from "@reprise/server/config";
import { demoProvider } from "../demo/demo-model.ts";

const COMPATIBLE = "openai-compatible";
/** The kind of the demonstration's models. */
export const SCRIPTED = "scripted";

/** Every way there is to speak to a provider. */
const ADAPTER_KINDS: readonly string[] = [...PROVIDER_VARIABLES.map(({ provider }) => provider), COMPATIBLE, SCRIPTED];

export interface ProviderWorld {
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Whether a variable has its value from a folder's `.env`. */
  readonly isFromFile: (name: string) => boolean;
  /** How long a word of the demonstration's models takes. */
  readonly wordMs: number;
}

/** Makes a provider of what the configuration says about it. */
export function createProvider(id: string, settings: ProviderSettings, world: ProviderWorld): ModelProvider {
  const kind =
    settings.adapterKind ?? (settings.endpoint !== undefined && variablesOf(id) === undefined ? COMPATIBLE : id);
  if (kind === SCRIPTED) return demoProvider(id, world);
  if (kind === COMPATIBLE) return createCompatible(id, settings);
  const names = variablesOf(kind);
  if (names === undefined) throw refuse(id, `has the unknown kind ${JSON.stringify(kind)}. ${sayKinds(kind)}`);
  if (Object.keys(settings.headers).length > 0) throw refuse(id, `takes no headers: only ${COMPATIBLE} does.`);
  if (settings.apiKey !== undefined && settings.endpoint === undefined && world.isFromFile(names.address))
    throw refuse(
      id,
      `has no endpoint in the configuration: ${names.address} is set by .env, and its key is not. Name the endpoint beside the key.`,
    );
  const [key] = names.keys;
  // To an address of its own goes a key of its own: those of the environment are for the providers they belong to.
  const { AWS_REGION } = world.variables;
  const given = {
    ...(settings.endpoint === undefined ? world.variables : { AWS_REGION }),
    ...(key !== undefined && settings.apiKey !== undefined && { [key]: settings.apiKey }),
    ...(settings.endpoint !== undefined && { [names.address]: settings.endpoint }),
  };
  const provider = environmentProviders(given).find((candidate) => candidate.id === kind);
  if (provider === undefined) throw refuse(id, `cannot be made: nothing speaks ${kind}.`);
  return { ...provider, id };
}

function sayKinds(kind: string): string {
  const nearest = findNearest(kind, ADAPTER_KINDS);
  return `Known: ${ADAPTER_KINDS.join(", ")}.${nearest === undefined ? "" : ` Did you mean ${JSON.stringify(nearest)}?`}`;
}

function variablesOf(kind: string): ProviderVariables | undefined {
  return PROVIDER_VARIABLES.find(({ provider }) => provider === kind);
}

function createCompatible(id: string, { endpoint, apiKey, headers }: ProviderSettings): ModelProvider {
  if (endpoint === undefined) throw refuse(id, "needs an endpoint, as in http://127.0.0.1:11434/v1.");
  return openaiCompatible({ id, baseUrl: endpoint, headers, ...(apiKey !== undefined && { apiKey }) });
}

function refuse(id: string, problem: string): RepriseError {
  return new RepriseError("PROVIDER_NOT_READY", `The provider ${id} ${problem}`, { details: { provider: id } });
}
