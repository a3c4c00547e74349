import type { FilePart, ModelChunk, StopReason, TokenUsage } from "@reprise/contracts";
import { parseArguments } from "../json/parse-arguments.ts";
import type { CompleteCall, Turn, TurnChunk } from "./turn.ts";

/** What comes in deltas: the text, the reasoning, and the arguments of each call, by its order number. */
type StreamedText = "text_delta" | "reasoning_delta" | number;

/** A turn as far as it has come, over one or more requests. */
export class TurnDraft {
  /** In pieces until it is whole: a text that was added to fifty times is kept as fifty. */
  readonly #text: string[] = [];
  #reasoning = "";
  #encrypted: string | undefined;
  readonly #files: FilePart[] = [];
  readonly #calls: { name: string; complete: CompleteCall | undefined }[] = [];
  /** The order number of a call by the provider's id, within the current request. */
  #indexes = new Map<string, number>();
  /** Half a character at the end of what came so far. */
  readonly #halves = new Map<StreamedText, string>();
  #usage: TokenUsage = {};
  #stop: StopReason | undefined;
  #hasBegun = false;

  /** Whether the present request was answered at all. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  get text(): string {
    return this.#text.join("");
  }

  get stopReason(): StopReason | undefined {
    return this.#stop;
  }

  get completeCalls(): readonly CompleteCall[] {
    return this.#calls.flatMap(({ complete }) => complete ?? []);
  }

  /** Whether anything was shown that a new attempt would show again. */
  get hasShown(): boolean {
    return this.#text.length > 0 || this.#reasoning !== "" || this.#calls.length > 0;
  }

  /** A new request begins: the provider may use its ids again. */
  beginRequest(): void {
    this.#indexes = new Map();
    this.#halves.clear();
    this.#stop = undefined;
    this.#hasBegun = false;
  }

  /** Forgets everything but what was paid for. */
  reset(): void {
    this.#text.length = 0;
    this.#reasoning = "";
    this.#encrypted = undefined;
    this.#files.length = 0;
    this.#calls.length = 0;
  }

  /** Takes one chunk in and says what to show of it. */
  add(chunk: ModelChunk): TurnChunk | undefined {
    this.#hasBegun = true;
    switch (chunk.type) {
      case "text_delta": {
        const delta = this.#wholeCharacters(chunk.type, chunk.delta);
        if (delta === "") return undefined;
        this.#text.push(delta);
        return delta === chunk.delta ? chunk : { type: chunk.type, delta };
      }
      case "reasoning_delta": {
        const delta = this.#wholeCharacters(chunk.type, chunk.delta);
        this.#reasoning += delta;
        if (delta === "") return undefined;
        return delta === chunk.delta ? chunk : { type: chunk.type, delta };
      }
      case "reasoning_encrypted":
        this.#encrypted = chunk.value;
        return { type: "reasoning_encrypted_value", encrypted_value: chunk.value };
      case "file": {
        const type = chunk.media_type.startsWith("image/") ? "image" : "file";
        this.#files.push({ type, url: chunk.url, media_type: chunk.media_type });
        return undefined;
      }
      case "tool_call_start":
        return { type: "tool_call_start", index: this.#open(chunk.id, chunk.name), name: chunk.name };
      case "tool_call_delta": {
        const index = this.#indexes.get(chunk.id);
        const args_delta = index === undefined ? "" : this.#wholeCharacters(index, chunk.args_delta);
        return index === undefined || args_delta === "" ? undefined : { type: "tool_call_delta", index, args_delta };
      }
      case "tool_call_ready": {
        const index = this.#indexes.get(chunk.id) ?? this.#open(chunk.id, chunk.name);
        // A provider that reuses an id means another call by it.
        this.#indexes.delete(chunk.id);
        const call = { index, provider_id: chunk.id, name: chunk.name, arguments: parseArguments(chunk.arguments) };
        this.#calls[index] = { name: chunk.name, complete: call };
        return { type: "tool_call_ready", index, call };
      }
      case "finish":
        this.#stop = chunk.stop_reason;
        this.#usage = addUsage(this.#usage, chunk.usage ?? {});
        return undefined;
      default:
        return chunk satisfies never;
    }
  }

  /** The turn as it stands; calls that were never finished are left out. */
  finish(stopReason: StopReason): Turn {
    return {
      text: this.text,
      reasoning: this.#reasoning,
      encrypted: this.#encrypted,
      ...(this.#files.length > 0 && { files: [...this.#files] }),
      calls: this.completeCalls,
      stop_reason: stopReason,
      usage: this.#usage,
    };
  }

  /** A delta may end in the middle of a character: its first half waits for the rest. */
  #wholeCharacters(of: StreamedText, delta: string): string {
    const text = (this.#halves.get(of) ?? "") + delta;
    const last = text.charCodeAt(text.length - 1);
    const isHalf = last >= 0xd800 && last <= 0xdbff;
    if (isHalf) this.#halves.set(of, text.slice(-1));
    else if (this.#halves.size > 0) this.#halves.delete(of);
    const whole = isHalf ? text.slice(0, -1) : text;
    return whole.isWellFormed() ? whole : whole.toWellFormed();
  }

  #open(id: string, name: string): number {
    const index = this.#calls.push({ name, complete: undefined }) - 1;
    this.#indexes.set(id, index);
    return index;
  }
}

function addUsage(left: TokenUsage, right: TokenUsage): TokenUsage {
  const sum: Record<string, number> = { ...left };
  for (const [key, value] of Object.entries(right)) sum[key] = (sum[key] ?? 0) + value;
  return sum;
}
