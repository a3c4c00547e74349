import { setImmediate as nextTurn } from "node:timers/promises";

interface Sleeper {
  readonly until: number;
  readonly wake: () => void;
}

// Enough for everything the runtime does between two waits: it has no timers of its own in here.
const TURNS = 20;

/** Time that moves on when nothing else is left to do: a timeline comes out the same on any machine. */
export class Ticks {
  #now = 0;
  #sleepers: Sleeper[] = [];
  #isMoving = false;

  get now(): number {
    return this.#now;
  }

  sleep(ticks: number): Promise<void> {
    return new Promise((resolve) => {
      this.#sleepers.push({ until: this.#now + ticks, wake: resolve });
      if (!this.#isMoving) void this.#move();
    });
  }

  async #move(): Promise<void> {
    this.#isMoving = true;
    while (this.#sleepers.length > 0) {
      for (let turn = 0; turn < TURNS; turn++) await nextTurn();
      this.#now = Math.min(...this.#sleepers.map(({ until }) => until));
      const due = this.#sleepers.filter(({ until }) => until <= this.#now);
      this.#sleepers = this.#sleepers.filter((sleeper) => !due.includes(sleeper));
      for (const { wake } of due) wake();
    }
    this.#isMoving = false;
  }
}
