import type { Clock } from "@reprise/contracts";

interface Sleeper {
  readonly until: number;
  readonly wake: () => void;
}

/**
 * Time that stands still until a test moves it.
 * `advance` wakes sleepers in the order of their times, and lets what they woke run before it continues.
 */
export class FakeClock implements Clock {
  readonly #sleepers = new Set<Sleeper>();
  readonly #start: number;
  #elapsed = 0;

  constructor(start = 1_750_000_000_000) {
    this.#start = start;
  }

  readonly now = (): number => this.#start + this.#elapsed;
  readonly mono = (): number => this.#elapsed;

  /** How many are asleep: what a test waits for before it moves the time. */
  get sleeping(): number {
    return this.#sleepers.size;
  }

  readonly sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const onAbort = () => {
        this.#sleepers.delete(sleeper);
        reject(signal?.reason);
      };
      const sleeper: Sleeper = {
        until: this.#elapsed + Math.max(ms, 0),
        wake: () => {
          this.#sleepers.delete(sleeper);
          signal?.removeEventListener("abort", onAbort);
          resolve();
        },
      };
      signal?.addEventListener("abort", onAbort, { once: true });
      this.#sleepers.add(sleeper);
    });

  readonly after = (ms: number, callback: () => void): (() => void) => {
    const sleeper: Sleeper = {
      until: this.#elapsed + Math.max(ms, 0),
      wake: () => {
        this.#sleepers.delete(sleeper);
        callback();
      },
    };
    this.#sleepers.add(sleeper);
    return () => this.#sleepers.delete(sleeper);
  };

  async advance(ms: number): Promise<void> {
    const end = this.#elapsed + ms;
    for (let next = this.#nextBefore(end); next !== undefined; next = this.#nextBefore(end)) {
      this.#elapsed = Math.max(this.#elapsed, next.until);
      next.wake();
      await settle();
    }
    this.#elapsed = end;
    await settle();
  }

  #nextBefore(end: number): Sleeper | undefined {
    const due = [...this.#sleepers].filter(({ until }) => until <= end);
    return due.sort((sleeper, other) => sleeper.until - other.until)[0];
  }
}

/** Lets everything run that waits for nothing but its turn. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
