import type { ToolProgress } from "@reprise/contracts";
import type { Question, Reply } from "./questions.ts";

/** The next event of a call at a server: its end, or a question to a person. */
export type Next<Result> =
  | { readonly type: "done"; readonly result: Result }
  | { readonly type: "asks"; readonly question: Question };

export interface OpenCallOptions {
  /** How long the server may be silent. A person may take as long as they like. */
  readonly silenceMs: number;
  readonly isReadOnly: boolean;
}

/** How long a session waits for a person before it gives up. */
const PATIENCE_MS = 86_400_000;

/** The server said nothing for too long. */
export class Silence extends Error {
  override readonly name = "Silence";
}

/**
 * A call under way at a server. It outlives the execution of its tool when the server asks a person: the session stays open, and a later
 * execution of the same call answers.
 */
export class OpenCall<Result> {
  readonly isReadOnly: boolean;
  readonly #controller = new AbortController();
  readonly #silenceMs: number;
  readonly #result: Promise<Result>;
  readonly #questions: { readonly question: Question; readonly answer: (reply: Reply) => void }[] = [];
  #wake: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor({ silenceMs, isReadOnly }: OpenCallOptions, send: (call: OpenCall<Result>) => Promise<Result>) {
    this.isReadOnly = isReadOnly;
    this.#silenceMs = silenceMs;
    this.#listen();
    this.#result = send(this).finally(() => {
      this.#isOver = true;
      clearTimeout(this.#timer);
    });
    // `next` reports the failure, perhaps much later; until then it must not count as unhandled.
    this.#result.catch(() => undefined);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Whether a person is asked. */
  get isAsking(): boolean {
    return this.#questions.length > 0;
  }

  stop(reason: unknown): void {
    this.#controller.abort(reason);
    for (const { answer } of this.#questions.splice(0)) answer({ action: "cancel" });
  }

  /** The server said something: it is not silent. */
  hear(_: ToolProgress): void {
    if (!this.isAsking) this.#listen();
  }

  /** The server asks; resolves when a person has answered. */
  ask(question: Question): Promise<Reply> {
    const { promise, resolve } = Promise.withResolvers<Reply>();
    this.#questions.push({ question, answer: resolve });
    this.#arm(PATIENCE_MS);
    this.#wake?.();
    return promise;
  }

  /** Answers the question that was asked first. */
  answer(reply: Reply): void {
    this.#questions.shift()?.answer(reply);
    this.#listen();
  }

  /** Waits for the next event. Stops the call when the signal is aborted. */
  async next(signal: AbortSignal): Promise<Next<Result>> {
    const stop = (): void => this.stop(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    try {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      if (this.isAsking) resolve();
      const done = await Promise.race([this.#result.then((result) => ({ result })), promise]);
      if (done !== undefined) return { type: "done", result: done.result };
      const [first] = this.#questions;
      if (first === undefined) return { type: "done", result: await this.#result };
      return { type: "asks", question: first.question };
    } finally {
      this.#wake = undefined;
      signal.removeEventListener("abort", stop);
    }
  }

  #listen(): void {
    this.#arm(this.isAsking ? PATIENCE_MS : this.#silenceMs);
  }

  #arm(milliseconds: number): void {
    clearTimeout(this.#timer);
    if (this.#isOver) return;
    const silence = new Silence(`The MCP server said nothing for ${milliseconds} ms.`);
    this.#timer = setTimeout(() => this.stop(silence), milliseconds);
    this.#timer.unref();
  }
}
