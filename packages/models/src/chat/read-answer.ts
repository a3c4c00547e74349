import { type ModelChunk, ModelError } from "@reprise/contracts";
import { failureOf, type Speaker, sayFailure } from "../failure/failed-answer.ts";
import { thrownFailure } from "../failure/thrown-failure.ts";
import { MAX_EVENT_BYTES, tooLarge } from "../wire/bound-events.ts";
import { EventStream } from "../wire/event-stream.ts";
import type { ChatAnswer } from "./chat-answer.ts";
import type { ChatChunk } from "./chat-wire.ts";

const LAST_EVENT = "[DONE]";

/**
 * Asks for an answer and reads it as it comes: events, or the whole of it as JSON from servers that do not stream. An end that the server did
 * not announce is a break, and thrown as one.
 */
export async function* readAnswer(
  open: () => Promise<Response>,
  answer: ChatAnswer,
  speaker: Speaker,
  signal: AbortSignal,
): AsyncGenerator<ModelChunk> {
  const body = new AnswerBody(await open(), speaker);
  const chunks: ModelChunk[] = [];
  try {
    while (await body.read(answer, chunks)) {
      for (const chunk of chunks) yield chunk;
      chunks.length = 0;
    }
    if (!body.isAnnounced && !answer.isComplete) throw body.unfinished();
  } catch (error) {
    // What broke off after its last word has lost its figures, nothing else.
    const isWhole = answer.isComplete && !ModelError.is(error) && !signal.aborted;
    if (!isWhole) answer.salvage(chunks);
    for (const chunk of chunks) yield chunk;
    chunks.length = 0;
    if (!isWhole) throw thrownFailure(speaker, error, true, signal);
  } finally {
    // Also when the reader stopped early: the server should stop too.
    await body.close();
  }
  answer.finish(chunks);
  for (const chunk of chunks) yield chunk;
}

/** The body of an answer. What holds no event at all is kept: it may be something else that says what went wrong. */
class AnswerBody {
  /** Whether the server said that this was all. */
  isAnnounced = false;
  readonly #response: Response;
  readonly #speaker: Speaker;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  readonly #decoder = new TextDecoder();
  readonly #events = new EventStream();
  #unread: string | undefined = "";

  constructor(response: Response, speaker: Speaker) {
    this.#response = response;
    this.#speaker = speaker;
    this.#reader = response.body?.getReader();
  }

  /** Reads on; false at the end. */
  async read(answer: ChatAnswer, chunks: ModelChunk[]): Promise<boolean> {
    const piece = await this.#reader?.read();
    if (piece === undefined || piece.done) {
      this.#take(this.#events.end(), answer, chunks);
      if (this.#unread?.trim()) this.#takeWhole(this.#unread, answer, chunks);
      return false;
    }
    const text = this.#decoder.decode(piece.value, { stream: true });
    if (this.#unread !== undefined) this.#unread += text;
    this.#take(this.#events.push(text), answer, chunks);
    if (Math.max(this.#unread?.length ?? 0, this.#events.held) > MAX_EVENT_BYTES) throw tooLarge(this.#speaker);
    return !this.isAnnounced;
  }

  unfinished(): ModelError {
    return new ModelError("stream_interrupted", sayFailure(this.#speaker.model, "stream_interrupted", []));
  }

  async close(): Promise<void> {
    await this.#reader?.cancel().catch(() => undefined);
  }

  #take(events: readonly string[], answer: ChatAnswer, chunks: ModelChunk[]): void {
    for (const data of events) {
      this.#unread = undefined;
      if (data === LAST_EVENT) {
        this.isAnnounced = true;
        return;
      }
      answer.take(this.#parse(data), chunks);
    }
  }

  #takeWhole(body: string, answer: ChatAnswer, chunks: ModelChunk[]): void {
    const whole = parseJson(body);
    if (isChunk(whole) && Array.isArray(whole.choices)) {
      answer.take(whole, chunks);
      this.isAnnounced = true;
      return;
    }
    const { status, headers } = this.#response;
    throw failureOf(this.#speaker, { status, header: (name) => headers.get(name) ?? undefined, body });
  }

  #parse(data: string): ChatChunk {
    const event = parseJson(data);
    if (isChunk(event)) return event;
    throw this.#malformed();
  }

  #malformed(): ModelError {
    return new ModelError("malformed_response", sayFailure(this.#speaker.model, "malformed_response", []));
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Every field of a chunk may be missing, so an object is one. */
function isChunk(value: unknown): value is ChatChunk {
  return typeof value === "object" && value !== null;
}
