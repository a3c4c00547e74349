/** The parts of the chat completions protocol that are written here. */
export type ChatContent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image_url"; readonly image_url: { readonly url: string } }
  | { readonly type: "file"; readonly file: { readonly filename: string; readonly file_data: string } }
  | { readonly type: "input_audio"; readonly input_audio: { readonly data: string; readonly format: string } };

export interface ChatToolCall {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
}

export type ChatMessage =
  | { readonly role: "system"; readonly content: string }
  | { readonly role: "user"; readonly content: string | readonly ChatContent[] }
  | { readonly role: "assistant"; readonly content: string | null; readonly tool_calls?: readonly ChatToolCall[] }
  | { readonly role: "tool"; readonly tool_call_id: string; readonly content: string };

/** The parts of an answer that are read here. Servers leave out what they like: nothing is certain. */
export interface ChatChunk {
  readonly id?: string | null;
  readonly model?: string | null;
  readonly choices?: readonly ChatChoice[] | null;
  readonly usage?: ChatUsage | null;
  readonly error?: unknown;
}

export interface ChatChoice {
  readonly delta?: ChatDelta | null;
  /** Instead of a delta, in an answer that comes as a whole. */
  readonly message?: ChatDelta | null;
  readonly finish_reason?: string | null;
  /** vLLM: the text that ended the answer. */
  readonly stop_reason?: string | number | null;
}

export interface ChatDelta {
  readonly content?: string | null;
  readonly refusal?: string | null;
  /** DeepSeek, vLLM. */
  readonly reasoning_content?: string | null;
  /** Ollama, OpenRouter. */
  readonly reasoning?: string | null;
  readonly tool_calls?: readonly ChatCallDelta[] | null;
}

export interface ChatCallDelta {
  readonly index?: number | null;
  readonly id?: string | null;
  readonly function?: { readonly name?: string | null; readonly arguments?: string | object | null } | null;
}

export interface ChatUsage {
  readonly prompt_tokens?: number | null;
  readonly completion_tokens?: number | null;
  readonly total_tokens?: number | null;
  readonly prompt_tokens_details?: {
    readonly cached_tokens?: number | null;
    readonly cache_write_tokens?: number | null;
  } | null;
  readonly completion_tokens_details?: { readonly reasoning_tokens?: number | null } | null;
  /** DeepSeek. */
  readonly prompt_cache_hit_tokens?: number | null;
}
