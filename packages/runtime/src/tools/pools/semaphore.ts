/** Gives back what was taken. Calling it twice is calling it once. */
export type Release = () => void;

/** Lets a number of holders in at a time, in the order in which they came. */
export class Semaphore {
  #free: number;
  readonly #waiting = new Set<(release: Release) => void>();

  constructor(permits: number) {
    this.#free = permits;
  }

  /** Takes a permit that is free; nothing when there is none. */
  tryAcquire(): Release | undefined {
    if (this.#free === 0) return undefined;
    this.#free--;
    return this.#release();
  }

  /** Takes a permit; rejects when the signal is aborted before there is one. */
  async acquire(signal: AbortSignal): Promise<Release> {
    signal.throwIfAborted();
    const free = this.tryAcquire();
    if (free !== undefined) return free;
    const { promise, resolve, reject } = Promise.withResolvers<Release>();
    this.#waiting.add(resolve);
    const onAbort = (): void => {
      // Who was let in already has to give back what it got.
      if (this.#waiting.delete(resolve)) reject(signal.reason);
    };
    signal.addEventListener("abort", onAbort, { once: true });
    return promise.finally(() => signal.removeEventListener("abort", onAbort));
  }

  #release(): Release {
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      const [next] = this.#waiting;
      if (next === undefined) {
        this.#free++;
        return;
      }
      this.#waiting.delete(next);
      next(this.#release());
    };
  }
}
