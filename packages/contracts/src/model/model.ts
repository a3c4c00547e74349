import type { Json } from "@reprise/state";
import type { Message } from "../message/message.ts";
import type { ToolDescriptor } from "../tool/tool-descriptor.ts";

export interface TokenUsage {
  readonly prompt_tokens?: number;
  readonly completion_tokens?: number;
  readonly total_tokens?: number;
  readonly cache_read_tokens?: number;
  readonly cache_creation_tokens?: number;
  readonly thinking_tokens?: number;
}

export type StopReason = "end_turn" | "max_tokens" | "tool_use" | "stop_sequence";

/** What a model says while it speaks. Tool call ids are the provider's. */
export type ModelChunk =
  | { readonly type: "text_delta"; readonly delta: string }
  | { readonly type: "reasoning_delta"; readonly delta: string }
  | { readonly type: "reasoning_encrypted"; readonly value: string }
  | { readonly type: "tool_call_start"; readonly id: string; readonly name: string }
  | { readonly type: "tool_call_delta"; readonly id: string; readonly args_delta: string }
  /** The call is complete. `arguments` is the text as the model wrote it, to be parsed strictly. */
  | { readonly type: "tool_call_ready"; readonly id: string; readonly name: string; readonly arguments: string }
  | { readonly type: "finish"; readonly stop_reason: StopReason; readonly usage?: TokenUsage };

export interface ModelRequest {
  /** Operator-authored text only: nothing from outside is ever in the system role. */
  readonly system: string;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDescriptor[];
  readonly options: { readonly [key: string]: Json };
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
