import type { Json, JsonObject } from "@reprise/state";
import { json, recordOf, type Shape } from "../shape/shape.ts";
import type { SnakeCased } from "../shape/stored-names.ts";

/** How long a provider caches the beginning of a request for later ones. */
export interface PromptCache {
  /** The lifetime of the cache, where the provider lets clients choose. */
  readonly ttl?: "5m" | "1h";
  /** Requests with the same key are routed to the same cache. */
  readonly key?: string;
}

/** How much a model thinks before it answers: a level, or a number of tokens. */
export type ReasoningEffort = "none" | "low" | "medium" | "high" | "max" | { readonly budget: number };

/** The settings that models of all providers share. */
export interface SharedChatOptions {
  readonly temperature?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly maxTokens?: number;
  readonly stopSequences?: readonly string[];
  readonly seed?: number;
  readonly presencePenalty?: number;
  readonly frequencyPenalty?: number;
  readonly reasoningEffort?: ReasoningEffort;
  /** `auto`, `none`, `required`, or the one tool that the model must call. */
  readonly toolChoice?: "auto" | "none" | "required" | { readonly tool: string };
  readonly parallelToolCalls?: boolean;
  /** Marks the beginning of a request for providers with explicit caching; false disables the marks. */
  readonly promptCache?: boolean | PromptCache;
  /** Settings for one provider, by its name, in the form of its AI SDK package. */
  readonly providerOptions?: { readonly [provider: string]: { readonly [key: string]: Json } };
  /** Extra fields of the request body, for servers that speak chat completions. */
  readonly extra?: { readonly [key: string]: Json };
}

/** Settings for requests to a model. Beside the shared ones, a model may have settings of its own. */
export interface ChatOptions extends SharedChatOptions {
  readonly [option: string]: unknown;
}

const SHARED: { readonly [Name in keyof SnakeCased<SharedChatOptions>]-?: JsonObject } = {
  temperature: {},
  top_p: {},
  top_k: {},
  max_tokens: {},
  stop_sequences: {},
  seed: {},
  presence_penalty: {},
  frequency_penalty: {},
  reasoning_effort: {},
  tool_choice: {},
  parallel_tool_calls: {},
  prompt_cache: {},
  provider_options: {},
  extra: {},
};

const options = recordOf(json);

/** Settings of a model as they are stored. Each model validates its own. */
export const chatOptionsShape: Shape<{ readonly [key: string]: Json }> = {
  ...options,
  schema: { ...options.schema, properties: SHARED },
};
