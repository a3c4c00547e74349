import { type ModelProvider, RepriseError } from "@reprise/contracts";
import { environmentProviders, openaiCompatible } from "@reprise/models";
import type { ProviderSettings } from "@reprise/server/config";
import { demoProvider } from "../demo/demo-model.ts";

/** Where a provider's package looks for its key and its address. */
const VARIABLES: Readonly<Record<string, { readonly key?: string; readonly address: string }>> = {
  openai: { key: "OPENAI_API_KEY", address: "OPENAI_BASE_URL" },
  anthropic: { key: "ANTHROPIC_API_KEY", address: "ANTHROPIC_BASE_URL" },
  google: { key: "GOOGLE_GENERATIVE_AI_API_KEY", address: "GOOGLE_GENERATIVE_AI_BASE_URL" },
  deepseek: { key: "DEEPSEEK_API_KEY", address: "DEEPSEEK_BASE_URL" },
  bedrock: { key: "AWS_BEARER_TOKEN_BEDROCK", address: "AWS_ENDPOINT_URL_BEDROCK_RUNTIME" },
  ollama: { address: "OLLAMA_BASE_URL" },
  vllm: { key: "VLLM_API_KEY", address: "VLLM_BASE_URL" },
  tensorzero: { key: "TENSORZERO_API_KEY", address: "TENSORZERO_URL" },
};

const COMPATIBLE = "openai-compatible";
/** The kind of the demonstration's models. */
export const SCRIPTED = "scripted";

/** Every way there is to speak to a provider. */
export const ADAPTER_KINDS: readonly string[] = [...Object.keys(VARIABLES), COMPATIBLE, SCRIPTED];

export interface ProviderWorld {
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** How long a word of the demonstration's models takes. */
  readonly wordMs: number;
}

/** Makes a provider of what the configuration says about it. */
export function createProvider(id: string, settings: ProviderSettings, world: ProviderWorld): ModelProvider {
  const kind = settings.adapterKind ?? (settings.endpoint !== undefined && !(id in VARIABLES) ? COMPATIBLE : id);
  if (kind === SCRIPTED) return demoProvider(id, world);
  if (kind === COMPATIBLE) return createCompatible(id, settings);
  const names = Object.hasOwn(VARIABLES, kind) ? VARIABLES[kind] : undefined;
  if (names === undefined)
    throw refuse(id, `has the unknown kind ${JSON.stringify(kind)}. Known: ${ADAPTER_KINDS.join(", ")}.`);
  if (Object.keys(settings.headers).length > 0) throw refuse(id, `takes no headers: only ${COMPATIBLE} does.`);
  // To an address of its own goes a key of its own: those of the environment are for the providers they belong to.
  const { AWS_REGION } = world.variables;
  const given = {
    ...(settings.endpoint === undefined ? world.variables : { AWS_REGION }),
    ...(names.key !== undefined && settings.apiKey !== undefined && { [names.key]: settings.apiKey }),
    ...(settings.endpoint !== undefined && { [names.address]: settings.endpoint }),
  };
  const provider = environmentProviders(given).find((candidate) => candidate.id === kind);
  if (provider === undefined) throw refuse(id, `cannot be made: nothing speaks ${kind}.`);
  return { ...provider, id };
}

function createCompatible(id: string, { endpoint, apiKey, headers }: ProviderSettings): ModelProvider {
  if (endpoint === undefined) throw refuse(id, "needs an endpoint, as in http://127.0.0.1:11434/v1.");
  return openaiCompatible({ id, baseUrl: endpoint, headers, ...(apiKey !== undefined && { apiKey }) });
}

function refuse(id: string, problem: string): RepriseError {
  return new RepriseError("PROVIDER_NOT_READY", `The provider ${id} ${problem}`, { details: { provider: id } });
}
