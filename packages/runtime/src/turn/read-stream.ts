import { type ModelChunk, ModelError, type ModelRequest } from "@reprise/contracts";
import { toModelError } from "../route/model-route.ts";
import { openStream, pumpStream } from "../route/open-stream.ts";
import type { TurnOptions } from "./turn.ts";

/** Reads a model's stream to its end; gives up on one that stalls, and on one that does not heed its signal. */
export async function readStream(
  request: ModelRequest,
  { model, idleTimeoutMs, after }: Pick<TurnOptions, "model" | "idleTimeoutMs" | "after">,
  take: (chunk: ModelChunk) => void,
): Promise<void> {
  const { signal } = request;
  const watch = new StreamWatch(idleTimeoutMs, after);
  const onAbort = (): void => watch.giveUp(new ModelError("cancelled", "The model call was cancelled."));
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  const reading = read(model, request, (chunk) => {
    if (watch.hear()) take(chunk);
  });
  // A stream that was given up on may fail later; by then nobody is listening.
  reading.catch(() => undefined);
  try {
    await Promise.race([reading, watch.givenUp]);
  } finally {
    watch.stop();
    signal.removeEventListener("abort", onAbort);
  }
}

async function read(
  model: TurnOptions["model"],
  request: ModelRequest,
  take: (chunk: ModelChunk) => void,
): Promise<void> {
  return pumpStream(await openStream(model, request), toModelError, take);
}

/** Notices a stream that says nothing. A chunk only notes that it came; one timer watches the whole stream. */
class StreamWatch {
  /** Rejects when the stream is given up on. */
  readonly givenUp: Promise<never>;
  readonly giveUp: (reason: ModelError) => void;
  readonly #idleTimeoutMs: number | null;
  readonly #after: TurnOptions["after"];
  #cancel: () => void = () => undefined;
  #hasHeard = false;
  #isOver = false;

  constructor(idleTimeoutMs: number | null, after: TurnOptions["after"]) {
    const { promise, reject } = Promise.withResolvers<never>();
    this.givenUp = promise;
    // Giving up on a stream that is already over concerns nobody.
    promise.catch(() => undefined);
    this.giveUp = (reason) => {
      this.#isOver = true;
      reject(reason);
    };
    this.#idleTimeoutMs = idleTimeoutMs;
    this.#after = after;
    this.#wait();
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
    if (this.#idleTimeoutMs !== null) this.#cancel = this.#after(this.#idleTimeoutMs, () => this.#look());
  }

  #look(): void {
    if (!this.#hasHeard) {
      return this.giveUp(new ModelError("timeout", `The model said nothing for ${this.#idleTimeoutMs} ms.`));
    }
    this.#hasHeard = false;
    this.#wait();
  }
}
