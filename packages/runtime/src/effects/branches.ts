/** Counts the parts of a loop that run beside each other. Alone, a loop waits for one thing at a time. */
export class Branches {
  #others = 0;

  get isAlone(): boolean {
    return this.#others === 0;
  }

  /** Another part begins; returns the way to say that it is over. */
  readonly fork = (): (() => void) => {
    this.#others += 1;
    return () => {
      this.#others -= 1;
    };
  };

  /** A part waits for another one; returns the way to say that it no longer does. */
  readonly rest = (): (() => void) => {
    this.#others -= 1;
    let isResting = true;
    return () => {
      if (isResting) this.#others += 1;
      isResting = false;
    };
  };
}
