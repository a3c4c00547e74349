import { type Env, type LanguageModel, type ModelChunk, ModelError, type ModelRequest } from "@reprise/contracts";
import type { RetrySettings } from "./retry.ts";

/** A provider that wants more time than this has failed: whoever waits for the answer should hear so. */
const LONGEST_WAIT_MS = 60_000;

/**
 * A model that is asked again when it fails before it has said anything. Once it has, its failure is passed on: what was
 * heard is already shown, and the turn knows better how to go on from there.
 */
export class RetryingModel implements LanguageModel {
  readonly id: string;
  readonly #model: LanguageModel;
  readonly #settings: RetrySettings;
  readonly #env: Env;

  constructor(model: LanguageModel, settings: RetrySettings, env: Env) {
    this.id = model.id;
    this.#model = model;
    this.#settings = settings;
    this.#env = env;
  }

  async *stream(request: ModelRequest): AsyncIterable<ModelChunk> {
    const { clock } = this.#env;
    const startedAt = clock.mono();
    for (let attempt = 1; ; attempt++) {
      let hasSpoken = false;
      try {
        for await (const chunk of this.#model.stream(request)) {
          hasSpoken = true;
          yield chunk;
        }
        return;
      } catch (error) {
        if (hasSpoken || !ModelError.is(error)) throw error;
        const waitMs = this.#waitAfter(error, attempt, clock.mono() - startedAt);
        if (waitMs === undefined) throw error;
        await this.#wait(waitMs, request.signal);
      }
    }
  }

  /** How long to wait before the next attempt; undefined when there is none. */
  #waitAfter(error: ModelError, attempt: number, elapsedMs: number): number | undefined {
    const { maxAttempts, backoffMs, overloadedBackoffMs, maxBackoffMs, jitterPercent, maxWindowMs } = this.#settings;
    if (attempt >= maxAttempts || !error.isRetryable) return undefined;
    const first = error.kind === "overloaded" ? overloadedBackoffMs : backoffMs;
    const backoff = Math.min(first * 2 ** (attempt - 1), maxBackoffMs);
    const jitter = 1 + (jitterPercent / 100) * (2 * this.#env.random() - 1);
    // A provider that says when it will be ready knows better than we do.
    const waitMs = Math.max(backoff * jitter, error.retryAfterMs ?? 0);
    if (waitMs > LONGEST_WAIT_MS) return undefined;
    return maxWindowMs === null || elapsedMs + waitMs <= maxWindowMs ? waitMs : undefined;
  }

  async #wait(ms: number, signal: AbortSignal): Promise<void> {
    try {
      await this.#env.clock.sleep(ms, signal);
    } catch (error) {
      throw new ModelError("cancelled", "The model call was cancelled between two attempts.", { cause: error });
    }
  }
}
