import type { Json, JsonObject } from "@reprise/state";
import { json, recordOf, type Shape } from "../shape/shape.ts";
import type { SnakeCased } from "../shape/stored-names.ts";

/** Where a provider that is told so keeps the beginning of a request for the next one. */
export interface PromptCache {
  /** How long, where the provider lets one choose. */
  readonly ttl?: "5m" | "1h";
  /** Requests with the same key are sent to where their beginning is kept. */
  readonly key?: string;
}

/** How much a model thinks before it speaks: a level, or a number of tokens. */
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
  /** `auto`, `none`, `required`, or the one tool the model has to call. */
  readonly toolChoice?: "auto" | "none" | "required" | { readonly tool: string };
  readonly parallelToolCalls?: boolean;
  /** Marks the beginning of a request for providers that keep it; false switches the marks off. */
  readonly promptCache?: boolean | PromptCache;
  /** For one provider alone, by its name, as its AI SDK package takes them. */
  readonly providerOptions?: { readonly [provider: string]: { readonly [key: string]: Json } };
  /** Fields of the body as they are, for servers that speak chat completions. */
  readonly extra?: { readonly [key: string]: Json };
}

/** Settings for requests to a model. Beside the shared ones, a model may know settings of its own. */
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

/** Settings of a model as they are stored. What each takes is checked by the model. */
export const chatOptionsShape: Shape<{ readonly [key: string]: Json }> = {
  ...options,
  schema: { ...options.schema, properties: SHARED },
};
