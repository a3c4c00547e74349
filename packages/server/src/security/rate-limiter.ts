export interface RateLimit {
  /** As many at once, and as many in a window. */
  readonly requests: number;
  readonly windowMs: number;
  /** As many callers are remembered; then the one that was longest not heard of is forgotten. */
  readonly maxCallers: number;
}

/**
 * Lets everybody ask so often in a window. One number is kept for each caller: when all that was allowed would be used up at the
 * steady rate. So there is no moment at which everybody starts anew, and nothing to clean up by a clock.
 */
export class RateLimiter {
  readonly #limit: RateLimit;
  readonly #now: () => number;
  readonly #usedUntil = new Map<string, number>();

  constructor(limit: RateLimit, now: () => number = () => performance.now()) {
    this.#limit = limit;
    this.#now = now;
  }

  get isLimited(): boolean {
    return this.#limit.requests !== Infinity;
  }

  /** Counts a request. Answers 0 when it may be, otherwise how long to wait, in milliseconds. */
  take(caller: string): number {
    const { requests, windowMs, maxCallers } = this.#limit;
    if (!this.isLimited) return 0;
    const now = this.#now();
    const until = Math.max(this.#usedUntil.get(caller) ?? now, now) + windowMs / requests;
    const wait = until - now - windowMs;
    // A hair's breadth is not worth a refusal: sums of fractions are not exact.
    if (wait > 1e-6) return wait;
    // Put last, so that the first one is always the one that was longest not heard of.
    this.#usedUntil.delete(caller);
    this.#usedUntil.set(caller, until);
    const [oldest] = this.#usedUntil.keys();
    if (this.#usedUntil.size > maxCallers && oldest !== undefined) this.#usedUntil.delete(oldest);
    return 0;
  }

  /** How many callers are remembered. */
  get size(): number {
    return this.#usedUntil.size;
  }
}
