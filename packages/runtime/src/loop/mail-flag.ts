/** Notes that something came for a run while it is worked on; the loop looks into the inbox when it suits. */
export class MailFlag {
  #isRaised = false;
  #waiting: (() => void) | undefined;

  raise(): void {
    this.#isRaised = true;
    this.#waiting?.();
    this.#waiting = undefined;
  }

  /** Whether anything came since this was last asked. */
  take(): boolean {
    const wasRaised = this.#isRaised;
    this.#isRaised = false;
    return wasRaised;
  }

  /** Resolves when something comes, or has come. For one waiter at a time. */
  arrival(): Promise<void> {
    if (this.#isRaised) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting = resolve;
    return promise;
  }
}
