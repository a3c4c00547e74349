import { type ModelChunk, ModelError, type ModelRequest } from "@reprise/contracts";
import { toModelError, unfinished } from "../route/model-route.ts";
import { openStream } from "../route/open-stream.ts";
import { AnswerMeter } from "./answer-meter.ts";
import type { TurnOptions } from "./turn.ts";

type StreamOptions = Pick<TurnOptions, "model" | "idleTimeoutMs" | "after">;

/**
 * Reads a model's stream to its end; gives up on one that stalls, and on one that does not heed its signal. The request has a signal
 * of its own, so that it can be given up without ending the run.
 */
export async function readStream(
  request: ModelRequest,
  options: StreamOptions,
  take: (chunk: ModelChunk) => void,
): Promise<void> {
  const { signal } = request;
  const watch = new StreamWatch(options);
  const onAbort = (): void => watch.giveUp(new ModelError("cancelled", "The model call was cancelled."), signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    const heard = (chunk: ModelChunk): void => {
      if (watch.hear()) take(chunk);
    };
    read(options.model, { ...request, signal: watch.signal }, heard).then(watch.end, watch.fail);
    await watch.over;
  } finally {
    watch.stop();
    signal.removeEventListener("abort", onAbort);
  }
}

/** Passes the chunks of a stream on, until it is finished. */
async function read(
  model: TurnOptions["model"],
  request: ModelRequest,
  take: (chunk: ModelChunk) => void,
): Promise<void> {
  const opening = openStream(model, request);
  const { first, rest, finished, broke } = opening instanceof Promise ? await opening : opening;
  const meter = new AnswerMeter(model.id);
  try {
    for (let result = first ?? (await rest.next()); result.done !== true; result = await rest.next()) {
      const chunk = meter.take(result.value);
      take(chunk);
      if (chunk.type !== "finish") continue;
      finished(chunk.usage ?? {});
      // It has nothing more to say; what it holds is given back.
      await rest.return?.();
      return;
    }
    throw unfinished();
  } catch (thrown) {
    broke(toModelError(thrown), meter.heard);
    throw thrown;
  }
}

/** Notices a stream that says nothing. A chunk only notes that it came; one timer watches the whole stream. */
class StreamWatch {
  /** Settles when the stream has ended or is given up on, whichever is first. Later chunks are ignored. */
  readonly over: Promise<void>;
  readonly end: () => void;
  readonly fail: (reason: unknown) => void;
  readonly #controller = new AbortController();
  readonly #options: StreamOptions;
  #cancel: () => void = () => undefined;
  #hasHeard = false;
  #isOver = false;

  constructor(options: StreamOptions) {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.over = promise;
    this.end = resolve;
    this.fail = (reason) => {
      this.#controller.abort(reason);
      reject(reason);
    };
    this.#options = options;
    this.#wait();
  }

  /** Aborted when the stream is given up on. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  giveUp(error: ModelError, reason: unknown = error): void {
    this.#isOver = true;
    this.#controller.abort(reason);
    this.fail(error);
  }

  /** Notes a chunk; false when it comes too late to count. */
  hear(): boolean {
    this.#hasHeard = true;
    return !this.#isOver;
  }

  stop(): void {
    this.#isOver = true;
    this.#cancel();
  }

  #wait(): void {
    const { idleTimeoutMs, after } = this.#options;
    if (idleTimeoutMs !== null) this.#cancel = after(idleTimeoutMs, () => this.#look());
  }

  #look(): void {
    if (!this.#hasHeard) {
      const { idleTimeoutMs } = this.#options;
      return this.giveUp(new ModelError("timeout", `The model said nothing for ${idleTimeoutMs} ms.`));
    }
    this.#hasHeard = false;
    this.#wait();
  }
}
