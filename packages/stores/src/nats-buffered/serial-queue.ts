/** Work on one thing, one after the other, whatever becomes of each. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();
  #length = 0;

  get isIdle(): boolean {
    return this.#length === 0;
  }

  async do<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#length += 1;
    const mine = this.#last.then(work, work);
    this.#last = mine.catch(() => undefined);
    try {
      return await mine;
    } finally {
      this.#length -= 1;
    }
  }
}
