import {
  type ModelChunk,
  ModelError,
  type ResponseMetadata,
  type StopReason,
  type TokenUsage,
} from "@reprise/contracts";
import { sayFailure } from "../failure/failed-answer.ts";
import type { ToolNames } from "../request/tool-names.ts";
import {
  type AiSdkModel,
  type ProviderFields,
  rootOf,
  type StreamPart,
  type WrittenFinishReason,
  type WrittenUsage,
} from "./ai-sdk-model.ts";
import { readFileUrl } from "./file-data.ts";
import { MetadataWriter } from "./kept-metadata.ts";

/** Packages that always know why an answer ended, if it did. */
const KNOWS_WHY = /^(openai|azure|anthropic|google|vertex|amazon-bedrock|bedrock|deepseek)\b/;

/** How an answer ended, and whether it did. */
interface Ended {
  readonly reason: WrittenFinishReason;
  readonly usage: TokenUsage | undefined;
  readonly hasCalls: boolean;
}

/** Why the model stopped. Throws when it was stopped: by its filter, by a failure, or by a connection that broke. */
function readFinish(id: string, model: Pick<AiSdkModel, "provider">, { reason, usage, hasCalls }: Ended): StopReason {
  const { unified, raw } = typeof reason === "string" ? { unified: reason, raw: undefined } : reason;
  switch (unified) {
    case "length":
      return "max_tokens";
    case "content-filter":
      throw new ModelError("content_filter", sayFailure(id, "content_filter", [raw]), {
        code: raw ?? "content_filter",
      });
    case "error":
      throw new ModelError("server_error", sayFailure(id, "server_error", [raw]), { code: raw ?? "error" });
    case "interrupted":
      throw interrupted(id);
    case "other": // v3: a stream that broke off ends like this
    case "unknown": // and in v2 like this
      if (raw === undefined && isBreak(model.provider, usage)) throw interrupted(id);
  }
  if (hasCalls) return "tool_use";
  return raw === "stop_sequence" ? "stop_sequence" : "end_turn";
}

/** Other packages may just not say why an answer ended; but they say what it took, which comes last. */
function isBreak(provider: string, usage: TokenUsage | undefined): boolean {
  return KNOWS_WHY.test(provider) || !usage?.completion_tokens;
}

function interrupted(id: string): ModelError {
  return new ModelError("stream_interrupted", sayFailure(id, "stream_interrupted", []));
}

type ToolCall = Extract<StreamPart, { readonly type: "tool-call" }>;
type Finish = Extract<StreamPart, { readonly type: "finish" }>;

/** A call while it is being written. */
interface OpenCall {
  readonly id: string;
  readonly name: string;
  text: string;
}

/** An answer as far as it has come: takes the parts of a provider's stream, gives what the model said. */
export class AnswerReader {
  readonly #id: string;
  readonly #model: AiSdkModel;
  readonly #names: ToolNames;
  readonly #metadata: MetadataWriter;
  #response: ResponseMetadata | undefined;
  /** Calls that have begun and are not ready, by the provider's id. */
  readonly #open = new Map<string, OpenCall>();
  readonly #ids = new Set<string>();
  /** Calls whose arguments are no JSON: written so by the model, or cut off. Which of the two shows at the end. */
  readonly #doubtful: ToolCall[] = [];
  #hasCalls = false;

  constructor(id: string, model: AiSdkModel, names: ToolNames) {
    this.#id = id;
    this.#model = model;
    this.#names = names;
    this.#metadata = new MetadataWriter(rootOf(model.provider));
  }

  /** Takes one part in. Throws a `ModelError` when the answer ended badly; returns true when it ended well. */
  take(part: Exclude<StreamPart, { readonly type: "error" }>, chunks: ModelChunk[]): boolean {
    switch (part.type) {
      case "text-delta":
      case "reasoning-delta": {
        const kind = part.type === "text-delta" ? "text" : "reasoning";
        this.#metadata.add(kind, part.id, part.delta, part.providerMetadata);
        if (part.delta !== "") chunks.push({ type: `${kind}_delta`, delta: part.delta });
        return false;
      }
      case "text-start":
      case "reasoning-start":
        this.#metadata.add(part.type === "text-start" ? "text" : "reasoning", part.id, "", part.providerMetadata);
        return false;
      case "text-end":
      case "reasoning-end":
        this.#metadata.end(part.type === "text-end" ? "text" : "reasoning", part.id, part.providerMetadata);
        return false;
      case "tool-input-start":
        // What the provider runs itself is no call for us.
        if (!part.providerExecuted) this.#begin(part.id, part.toolName, chunks);
        return false;
      case "tool-input-delta": {
        const call = this.#open.get(part.id);
        if (call === undefined || part.delta === "") return false;
        call.text += part.delta;
        chunks.push({ type: "tool_call_delta", id: call.id, args_delta: part.delta });
        return false;
      }
      case "tool-call":
        if (part.providerExecuted) return false;
        if (isWhole(part.input)) this.#ready(part, chunks);
        else this.#doubt(part, chunks);
        return false;
      case "file":
        chunks.push({ type: "file", url: readFileUrl(part.mediaType, part.data), media_type: part.mediaType });
        return false;
      case "response-metadata":
        this.#response = { ...(part.id && { id: part.id }), ...(part.modelId && { model: part.modelId }) };
        return false;
      case "finish":
        this.#finish(part, chunks);
        return true;
      default:
        return false;
    }
  }

  /** The stream ended, and the answer did not. */
  breakOff(): never {
    throw new ModelError("stream_interrupted", sayFailure(this.#id, "stream_interrupted", []));
  }

  /** The answer broke off. Calls that are whole will be answered, so the provider will want back what it sent with them. */
  salvage(chunks: ModelChunk[]): void {
    for (const [toolCallId, { name, text }] of this.#open) {
      if (isObject(text)) this.#ready({ type: "tool-call", toolCallId, toolName: name, input: text }, chunks);
    }
    this.#keep(chunks);
  }

  /** What the provider wants back with this answer. */
  #keep(chunks: ModelChunk[]): void {
    const value = this.#metadata.write();
    if (value !== undefined) chunks.push({ type: "reasoning_encrypted", value });
  }

  #finish({ finishReason, usage: written, providerMetadata }: Finish, chunks: ModelChunk[]): void {
    const usage = readUsage(written, providerMetadata);
    const hasCalls = this.#hasCalls || this.#open.size > 0;
    const stop = readFinish(this.#id, this.#model, { reason: finishReason, usage, hasCalls });
    if (stop !== "max_tokens") this.#readyAll(chunks);
    this.#keep(chunks);
    chunks.push({
      type: "finish",
      stop_reason: stop,
      ...(usage !== undefined && { usage }),
      ...(this.#response !== undefined && { response: this.#response }),
    });
  }

  #doubt(call: ToolCall, chunks: ModelChunk[]): void {
    if (!this.#open.has(call.toolCallId)) this.#begin(call.toolCallId, call.toolName, chunks);
    this.#doubtful.push(call);
  }

  /** What is still open at the end is how the model wrote it: v2 packages are silent about calls they cannot parse. */
  #readyAll(chunks: ModelChunk[]): void {
    for (const [toolCallId, { name, text }] of this.#open) {
      const doubtful = this.#doubtful.find((call) => call.toolCallId === toolCallId);
      this.#ready(doubtful ?? { type: "tool-call", toolCallId, toolName: name, input: text }, chunks);
    }
  }

  /** Begins a call under an id that no other call of the answer has. */
  #begin(given: string, name: string, chunks: ModelChunk[]): OpenCall {
    const wanted = given || `call_${this.#ids.size + 1}`;
    let id = wanted;
    for (let count = 2; this.#ids.has(id); count++) id = `${wanted}_${count}`;
    this.#ids.add(id);
    const call = { id, name, text: "" };
    this.#open.set(given, call);
    chunks.push({ type: "tool_call_start", id, name: this.#names.fromWire(name) });
    return call;
  }

  #ready({ toolCallId, toolName, input, providerMetadata }: ToolCall, chunks: ModelChunk[]): void {
    const { id } = this.#open.get(toolCallId) ?? this.#begin(toolCallId, toolName, chunks);
    this.#open.delete(toolCallId);
    this.#hasCalls = true;
    this.#metadata.addCall(id, providerMetadata);
    chunks.push({ type: "tool_call_ready", id, name: this.#names.fromWire(toolName), arguments: input });
  }
}

/** Whether a text is an object to its last brace: nothing that may follow could belong to it. */
function isObject(text: string): boolean {
  return text.trimEnd().endsWith("}") && isWhole(text);
}

function isWhole(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return text.trim() === "";
  }
}

/** What an answer took, in the same words for every version. */
function readUsage(usage: WrittenUsage | undefined, metadata: ProviderFields | undefined): TokenUsage | undefined {
  if (usage === undefined) return undefined;
  const counts = typeof usage.inputTokens === "object" ? readBroken(usage) : readFlat(usage, metadata);
  const known = Object.entries(counts).filter(([, count]) => typeof count === "number" && Number.isFinite(count));
  return known.length === 0 ? undefined : Object.fromEntries(known);
}

type Counts = { readonly [Name in keyof TokenUsage]: number | undefined };

/** v3 and v4. */
function readBroken({ inputTokens, outputTokens }: WrittenUsage): Counts {
  const input = typeof inputTokens === "object" ? inputTokens : {};
  const output = typeof outputTokens === "object" ? outputTokens : {};
  return {
    prompt_tokens: input.total,
    completion_tokens: output.total,
    total_tokens: input.total === undefined || output.total === undefined ? undefined : input.total + output.total,
    cache_read_tokens: input.cacheRead,
    cache_creation_tokens: input.cacheWrite,
    thinking_tokens: output.reasoning,
  };
}

/** v2, where Anthropic's packages count what is cached apart from the prompt, and what is written to the cache only in passing. */
function readFlat(usage: WrittenUsage, metadata: ProviderFields | undefined): Counts {
  const { inputTokens, outputTokens, totalTokens, reasoningTokens, cachedInputTokens } = usage;
  const written = metadata?.anthropic?.cacheCreationInputTokens;
  const created = typeof written === "number" ? written : undefined;
  const input = typeof inputTokens === "number" ? inputTokens : undefined;
  const apart = metadata?.anthropic === undefined ? 0 : (cachedInputTokens ?? 0) + (created ?? 0);
  return {
    prompt_tokens: input === undefined ? undefined : input + apart,
    completion_tokens: typeof outputTokens === "number" ? outputTokens : undefined,
    total_tokens: totalTokens === undefined ? undefined : totalTokens + apart,
    cache_read_tokens: cachedInputTokens,
    cache_creation_tokens: created,
    thinking_tokens: reasoningTokens,
  };
}
