import { believableUsage, type ModelChunk, ModelError } from "@reprise/contracts";

/**
 * The most that is taken of one answer, in characters. Far above what models are able to write, and far below what would take a
 * process down: everything a model says is held until it is committed.
 */
const MOST = { text: 4_000_000, reasoning: 4_000_000, calls: 8_000_000, files: 64_000_000 };

type Kind = keyof typeof MOST;

/** A chunk takes room, however short its text. So does a call, which becomes a record, a message and an execution. */
const CHUNK = 4;
const CALL = 4_000;

/** Checks what a model sends before anything else sees it: how much it is, and whether the usage it reports can be true. */
export class AnswerMeter {
  readonly #model: string;
  readonly #taken: Record<Kind, number> = { text: 0, reasoning: 0, calls: 0, files: 0 };
  #heard = 0;

  constructor(model: string) {
    this.#model = model;
  }

  /** How many characters of text, reasoning and arguments came so far. */
  get heard(): number {
    return this.#heard;
  }

  /** The chunk as it may be used. Throws a `ModelError` when the answer has become too large. */
  take(chunk: ModelChunk): ModelChunk {
    switch (chunk.type) {
      case "text_delta":
        this.#heard += chunk.delta.length;
        this.#add("text", chunk.delta.length);
        return chunk;
      case "reasoning_delta":
        this.#heard += chunk.delta.length;
        this.#add("reasoning", chunk.delta.length);
        return chunk;
      case "reasoning_encrypted":
        this.#add("reasoning", chunk.value.length);
        return chunk;
      case "file":
        this.#add("files", chunk.url.length);
        return chunk;
      case "tool_call_start":
        this.#add("calls", CALL + chunk.id.length + chunk.name.length);
        return chunk;
      case "tool_call_delta":
        this.#heard += chunk.args_delta.length;
        this.#add("calls", chunk.args_delta.length);
        return chunk;
      case "tool_call_ready":
        // Arguments are held as they were written and as a whole, and a call may come without a beginning.
        this.#add("calls", CALL + chunk.id.length + chunk.name.length + chunk.arguments.length);
        return chunk;
      case "finish":
        return chunk.usage === undefined ? chunk : { ...chunk, usage: believableUsage(chunk.usage) };
      default:
        return chunk satisfies never;
    }
  }

  #add(kind: Kind, size: number): void {
    this.#taken[kind] += size + CHUNK;
    if (this.#taken[kind] <= MOST[kind]) return;
    const message = `Model ${this.#model}: its answer is too large (more than ${MOST[kind]} characters of ${kind}).`;
    throw new ModelError("answer_too_large", message);
  }
}
