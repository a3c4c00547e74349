import type { Clock } from "@reprise/contracts";

/**
 * The server's time without asking for it: what its last answer said, and the time that passed here since. The answer was on its
 * way for a while, so this is never ahead of the server.
 */
export class ServerClock {
  readonly #clock: Pick<Clock, "now"> | undefined;
  #told = 0;
  #heardAt = 0;

  /** `clock` is the store's time instead of the server's. */
  constructor(clock: Pick<Clock, "now"> | undefined) {
    this.#clock = clock;
  }

  /** The store's time, when it is not the server's. */
  get own(): number | null {
    return this.#clock?.now() ?? null;
  }

  /** The store's time, given the server's, which an answer said just now. */
  hear(stored: number): number {
    this.#told = stored;
    this.#heardAt = performance.now();
    return this.own ?? stored;
  }

  estimate(): number {
    return this.own ?? this.#told + Math.floor(performance.now() - this.#heardAt);
  }
}
