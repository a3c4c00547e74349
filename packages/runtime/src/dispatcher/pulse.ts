import type { Clock } from "@reprise/contracts";

/** Why a sleep ends early. Given, so that no error is made for it: every run wakes the pulse twice. */
const WOKEN = "woken";

/**
 * A regular beat that keeps the process alive only while it is held: a process whose run waits for a promise has
 * nothing else that would keep it.
 */
export class Pulse {
  readonly #clock: Clock;
  readonly #holders = new Set<object>();
  #nap = new AbortController();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  hold(holder: object): void {
    this.#holders.add(holder);
    // It may be asleep in the background.
    if (this.#holders.size === 1) this.#nap.abort(WOKEN);
  }

  letGo(holder: object): void {
    if (this.#holders.delete(holder) && this.#holders.size === 0) this.#nap.abort(WOKEN);
  }

  /** Does its work every so often, until the signal. However often it is held and let go, it beats at its times. */
  async beat(everyMs: number, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
    let at = this.#clock.mono() + everyMs;
    signal.addEventListener("abort", () => this.#nap.abort(WOKEN), { once: true });
    while (!signal.aborted) {
      this.#nap = new AbortController();
      const background = this.#holders.size === 0;
      await this.#clock
        .sleep(Math.max(at - this.#clock.mono(), 0), this.#nap.signal, { background })
        .catch(() => undefined);
      if (signal.aborted || this.#clock.mono() < at) continue;
      await work();
      at = this.#clock.mono() + everyMs;
    }
  }
}
