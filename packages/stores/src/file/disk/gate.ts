/** Lets so many through at a time; the others wait in line. */
export class Gate {
  #free: number;
  readonly #line: (() => void)[] = [];

  constructor(slots: number) {
    this.#free = slots;
  }

  async run<Result>(task: () => Promise<Result>): Promise<Result> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#line.push(resolve));
    try {
      return await task();
    } finally {
      // The slot goes to the next in line without becoming free in between.
      const next = this.#line.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}
