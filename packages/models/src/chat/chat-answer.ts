import {
  type ModelChunk,
  ModelError,
  type ResponseMetadata,
  type StopReason,
  type TokenUsage,
} from "@reprise/contracts";
import { failureInStream, type Speaker, sayFailure } from "../failure/failed-answer.ts";
import type { ToolNames } from "../request/tool-names.ts";
import { tooLarge } from "../wire/bound-events.ts";
import { CallAssembler } from "./call-assembler.ts";
import type { ChatChunk, ChatDelta, ChatUsage } from "./chat-wire.ts";

/** An answer as far as it has come: takes the server's events, gives what the model said. */
export class ChatAnswer {
  readonly #speaker: Speaker;
  readonly #calls: CallAssembler;
  #response: ResponseMetadata | undefined;
  #reason: string | undefined;
  #stopText: unknown;
  #usage: TokenUsage | undefined;

  constructor(speaker: Speaker, names: ToolNames) {
    this.#speaker = speaker;
    this.#calls = new CallAssembler(names);
  }

  /** Whether the server said why the answer ended: what comes after that is figures. */
  get isComplete(): boolean {
    return this.#reason !== undefined;
  }

  /** Takes one event in. Throws a `ModelError` when it holds an error. */
  take(event: ChatChunk, chunks: ModelChunk[]): void {
    if (event.error != null) {
      const failure = failureInStream(this.#speaker, event);
      if (failure !== undefined) throw failure;
    }
    if (this.#response === undefined && (event.id || event.model)) {
      this.#response = { ...(event.id && { id: event.id }), ...(event.model && { model: event.model }) };
    }
    if (event.usage != null) this.#usage = readUsage(event.usage);
    const choice = event.choices?.[0];
    if (choice === undefined) return;
    const delta = choice.delta ?? choice.message;
    if (delta != null) this.#takeDelta(delta, chunks);
    if (choice.finish_reason != null) {
      this.#reason = choice.finish_reason;
      this.#stopText = choice.stop_reason;
    }
  }

  /** The server ended its answer. Throws when the model's filter did. */
  finish(chunks: ModelChunk[]): void {
    const stop = this.#stopReason();
    this.#calls.finish(stop === "max_tokens", chunks);
    chunks.push({
      type: "finish",
      stop_reason: stop,
      ...(this.#usage !== undefined && { usage: this.#usage }),
      ...(this.#response !== undefined && { response: this.#response }),
    });
  }

  /** The answer broke off: calls that are whole count all the same. */
  salvage(chunks: ModelChunk[]): void {
    this.#calls.finish(true, chunks);
  }

  #takeDelta(delta: ChatDelta, chunks: ModelChunk[]): void {
    const reasoning = delta.reasoning_content || delta.reasoning;
    if (typeof reasoning === "string" && reasoning !== "") chunks.push({ type: "reasoning_delta", delta: reasoning });
    const text = delta.content || delta.refusal;
    if (typeof text === "string" && text !== "") chunks.push({ type: "text_delta", delta: text });
    for (const call of delta.tool_calls ?? []) {
      this.#calls.take(call, chunks);
      if (this.#calls.hasTooMany) throw tooLarge(this.#speaker);
    }
  }

  #stopReason(): StopReason {
    const { model } = this.#speaker;
    switch (this.#reason) {
      case "length":
        return "max_tokens";
      case "content_filter":
        throw new ModelError("content_filter", sayFailure(model, "content_filter", []), { code: "content_filter" });
      case "insufficient_system_resource": // DeepSeek, when it has to break off
        throw new ModelError("overloaded", sayFailure(model, "overloaded", []), { code: this.#reason });
      case "error":
        throw new ModelError("server_error", sayFailure(model, "server_error", []), { code: this.#reason });
      default:
        if (this.#calls.hasCalls) return "tool_use";
        return typeof this.#stopText === "string" ? "stop_sequence" : "end_turn";
    }
  }
}

/** What an answer took. Servers that do not count something say nothing, null or 0. */
function readUsage(usage: ChatUsage): TokenUsage {
  const cached = usage.prompt_tokens_details?.cached_tokens ?? usage.prompt_cache_hit_tokens;
  return {
    ...counted("prompt_tokens", usage.prompt_tokens),
    ...counted("completion_tokens", usage.completion_tokens),
    ...counted("total_tokens", usage.total_tokens),
    ...counted("cache_read_tokens", cached),
    ...counted("cache_creation_tokens", usage.prompt_tokens_details?.cache_write_tokens),
    ...counted("thinking_tokens", usage.completion_tokens_details?.reasoning_tokens),
  };
}

function counted(name: keyof TokenUsage, count: number | null | undefined): TokenUsage {
  return typeof count === "number" && Number.isFinite(count) ? { [name]: count } : {};
}
