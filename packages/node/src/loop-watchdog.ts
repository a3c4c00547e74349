import type { Log, Watchdog, Work } from "@reprise/contracts";

/** How often the event loop is expected to come round. */
const BEAT_MS = 200;

/** Standing still for longer is said. Leases are renewed every three seconds: much longer, and runs are lost. */
const BLOCKED_MS = 1_000;

/** How much of the work under way is named when nothing says whose it was. */
const MOST_NAMED = 10;

/**
 * Logs what blocked the event loop for more than a second. A timer notices that it comes too late. Whose work it was is known when a
 * piece of work passes before that timer does: then its run's code is what has run since. Otherwise everything under way is named.
 */
export class LoopWatchdog implements Watchdog {
  readonly #log: Log;
  readonly #underWay = new Set<Work>();
  #timer: NodeJS.Timeout | undefined;
  #beatAt = 0;
  #suspect: Work | undefined;

  constructor(log: Log) {
    this.#log = log;
  }

  begin(work: Work): void {
    if (this.#timer === undefined) {
      this.#beatAt = performance.now();
      // It keeps nothing alive, and stops by itself when there is no work.
      this.#timer = setInterval(this.#beat, BEAT_MS).unref();
    }
    this.passed(work);
    this.#underWay.add(work);
  }

  passed(work: Work): void {
    if (this.#suspect === undefined && performance.now() - this.#beatAt > BLOCKED_MS) this.#suspect = work;
  }

  end(work: Work): void {
    this.passed(work);
    this.#underWay.delete(work);
  }

  readonly #beat = (): void => {
    const now = performance.now();
    const blocked_ms = Math.round(now - this.#beatAt);
    this.#beatAt = now;
    if (blocked_ms > BLOCKED_MS) this.#tell(blocked_ms);
    this.#suspect = undefined;
    if (this.#underWay.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  };

  #tell(blocked_ms: number): void {
    const whose = this.#suspect ?? { under_way: [...this.#underWay].slice(0, MOST_NAMED) };
    this.#log("warn", "the event loop was blocked", { blocked_ms, ...whose });
  }
}
