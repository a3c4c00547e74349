import type { Json, JsonObject } from "@reprise/state";
import type { Message } from "../message/message.ts";
import type { ToolDescriptor } from "../tool/tool-descriptor.ts";

/** The tokens of one answer. Unknown counts are absent. Cached tokens are part of the prompt, thinking is part of the completion. */
export interface TokenUsage {
  readonly prompt_tokens?: number;
  readonly completion_tokens?: number;
  readonly total_tokens?: number;
  readonly cache_read_tokens?: number;
  readonly cache_creation_tokens?: number;
  readonly thinking_tokens?: number;
}

export type StopReason = "end_turn" | "max_tokens" | "tool_use" | "stop_sequence";

/** Facts that a provider reports about its answer. */
export interface ResponseMetadata {
  /** The provider's id of the answer, for support requests and logs. */
  readonly id?: string;
  /** The model that actually answered: a dated version, or the one a gateway chose. */
  readonly model?: string;
}

/** A piece of a model's answer. Tool call ids are the provider's. */
export type ModelChunk =
  | { readonly type: "text_delta"; readonly delta: string }
  | { readonly type: "reasoning_delta"; readonly delta: string }
  /** Opaque data that goes back to this provider only, with the message. Of several in one answer the last counts. */
  | { readonly type: "reasoning_encrypted"; readonly value: string }
  /** A file that the model made: a `data:` URL, or its address. */
  | { readonly type: "file"; readonly url: string; readonly media_type: string }
  | { readonly type: "tool_call_start"; readonly id: string; readonly name: string }
  | { readonly type: "tool_call_delta"; readonly id: string; readonly args_delta: string }
  /** The call is complete. `arguments` is the model's raw text, to be parsed strictly. */
  | { readonly type: "tool_call_ready"; readonly id: string; readonly name: string; readonly arguments: string }
  | {
      readonly type: "finish";
      readonly stop_reason: StopReason;
      readonly usage?: TokenUsage;
      readonly response?: ResponseMetadata;
    };

/** The shape an answer must have. */
export interface OutputSchema {
  /** Letters, digits, `_` and `-`; `output` unless given. */
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
 * The part of a request that the next request will begin with too, so that a provider may cache it. `system` stands for the
 * tools and the system text, which come before all messages.
 */
export type CacheBreakpoint = { readonly after: "system" } | { readonly after: "message"; readonly message_id: string };

/** Counts the tokens of a text. Pure, and never negative. */
export type CountTokens = ((text: string) => number) & { readonly isEstimate?: boolean };

/**
 * Splits text into tokens as a model does. Loaded when a request is first measured, because tokenizers are large. When loading
 * fails, a rule of thumb replaces it.
 */
export interface TokenCounter {
  load(): Promise<CountTokens>;
}

export interface ModelRequest {
  /** The thread of the request, for models that keep something per thread. Never sent to a provider. */
  readonly thread_id?: string;
  /** Text of the operator only. Text from outside is never in the system role. */
  readonly system: string;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDescriptor[];
  readonly options: { readonly [key: string]: Json };
  /** Ids of messages that stay when others are left out to fit the window. Never sent to a provider. */
  readonly pinned?: readonly string[];
  /** Asks for an answer in JSON of this shape. */
  readonly output_schema?: OutputSchema;
  /** Cache marks, in the order of the request. Providers without explicit caching ignore them. */
  readonly cache_breakpoints?: readonly CacheBreakpoint[];
  /** Reads the bytes of `blob:` and `media:` URLs, and of web addresses that the provider cannot read itself. */
  readonly load?: (url: string) => Promise<LoadedFile>;
  readonly signal: AbortSignal;
}

/**
 * A streaming model.
 * - Chunks come in order; after `finish` there are none.
 * - A failure is thrown as a `ModelError`, before or between chunks.
 * - When the signal aborts, the stream ends soon, by throwing or returning.
 */
export interface LanguageModel {
  readonly id: string;
  stream(request: ModelRequest): AsyncIterable<ModelChunk>;
}
