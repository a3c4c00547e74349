import type { Claim, Clock, StoreOperator } from "@reprise/contracts";

/**
 * The store's time, as far as it is known here without asking: what the store said last, and the time that passed since. An answer
 * is on its way for a while, so this is never ahead of the store. The wall clock of a process is compared with nothing: it may be
 * wrong by any amount.
 */
export class StoreTime {
  readonly #clock: Pick<Clock, "now" | "mono">;
  #told: number | undefined;
  #heardAt = 0;

  constructor(clock: Pick<Clock, "now" | "mono">) {
    this.#clock = clock;
  }

  now(): number {
    // Only until the store has answered for the first time.
    if (this.#told === undefined) return this.#clock.now();
    return this.#told + Math.floor(this.#clock.mono() - this.#heardAt);
  }

  async ask(operator: Pick<StoreOperator, "now">): Promise<void> {
    this.#hear(await operator.now());
  }

  /** Learns the time from a claim that was just granted or renewed. */
  hear({ lease_until }: Pick<Claim, "lease_until">, leaseMs: number): void {
    this.#hear(lease_until - leaseMs);
  }

  #hear(time: number): void {
    this.#told = time;
    this.#heardAt = this.#clock.mono();
  }
}
