import type { Json, JsonObject } from "@reprise/state";
import type { Message } from "../message/message.ts";
import type { ToolDescriptor } from "../tool/tool-descriptor.ts";

/** What an answer took. What is unknown is absent; cached tokens are part of the prompt, thinking is part of the completion. */
export interface TokenUsage {
  readonly prompt_tokens?: number;
  readonly completion_tokens?: number;
  readonly total_tokens?: number;
  readonly cache_read_tokens?: number;
  readonly cache_creation_tokens?: number;
  readonly thinking_tokens?: number;
}

export type StopReason = "end_turn" | "max_tokens" | "tool_use" | "stop_sequence";

/** What a provider says about its answer. */
export interface ResponseMetadata {
  /** The provider's id of the answer, for its support and its logs. */
  readonly id?: string;
  /** The model that really answered: a dated version, or where a gateway went. */
  readonly model?: string;
}

/** What a model says while it speaks. Tool call ids are the provider's. */
export type ModelChunk =
  | { readonly type: "text_delta"; readonly delta: string }
  | { readonly type: "reasoning_delta"; readonly delta: string }
  /** What goes back to this provider, and to no other, with the message. Opaque; of several in an answer the last counts. */
  | { readonly type: "reasoning_encrypted"; readonly value: string }
  /** A file the model made: a `data:` URL, or where it lies. */
  | { readonly type: "file"; readonly url: string; readonly media_type: string }
  | { readonly type: "tool_call_start"; readonly id: string; readonly name: string }
  | { readonly type: "tool_call_delta"; readonly id: string; readonly args_delta: string }
  /** The call is complete. `arguments` is the text as the model wrote it, to be parsed strictly. */
  | { readonly type: "tool_call_ready"; readonly id: string; readonly name: string; readonly arguments: string }
  | {
      readonly type: "finish";
      readonly stop_reason: StopReason;
      readonly usage?: TokenUsage;
      readonly response?: ResponseMetadata;
    };

/** The shape an answer must have. */
export interface OutputSchema {
  /** Letters, digits, `_` and `-`; `output` unless it is given. */
  readonly name?: string;
  /** JSON Schema. */
  readonly schema: JsonObject;
}

/** The bytes behind a URL that only the runtime can read. */
export interface LoadedFile {
  readonly content: Uint8Array;
  readonly media_type?: string;
}

/**
 * Up to where a request begins like the next one, so that a provider may keep that part. `system` stands for the tools and the
 * system text, which come before all messages.
 */
export type CacheBreakpoint = { readonly after: "system" } | { readonly after: "message"; readonly message_id: string };

/** How many tokens a text is. Pure, and never less than nothing. */
export type CountTokens = ((text: string) => number) & { readonly isEstimate?: boolean };

/**
 * Knows how a model splits text into tokens. Asked for when a request is first measured, never before: tokenizers are large. One
 * that cannot be loaded rejects, and a rule of thumb stands in for it.
 */
export interface TokenCounter {
  load(): Promise<CountTokens>;
}

export interface ModelRequest {
  /** The thread that asks: models that keep something for it know it by this. Never sent to a provider. */
  readonly thread_id?: string;
  /** Operator-authored text only: nothing from outside is ever in the system role. */
  readonly system: string;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDescriptor[];
  readonly options: { readonly [key: string]: Json };
  /** The answer is to be JSON of this shape. */
  readonly output_schema?: OutputSchema;
  /** In the order of the request. For providers that want to be told; others keep what they keep, and ignore it. */
  readonly cache_breakpoints?: readonly CacheBreakpoint[];
  /** Reads what messages name as `blob:` or `media:`, and web addresses the provider cannot read itself. */
  readonly load?: (url: string) => Promise<LoadedFile>;
  readonly signal: AbortSignal;
}

/**
 * A model that streams.
 * - Chunks come in order; after `finish` there are none.
 * - A failure is thrown as a `ModelError`, before or between chunks.
 * - When the signal aborts, the stream ends soon, by throwing or returning.
 */
export interface LanguageModel {
  readonly id: string;
  stream(request: ModelRequest): AsyncIterable<ModelChunk>;
}
