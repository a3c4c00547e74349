/** Milliseconds of a clock that all processes of the machine share. */
export function now(): number {
  return performance.timeOrigin + performance.now();
}

/** What agents of this process saw, and when. */
export class Sightings {
  /** When the tool was last executed on a thread. */
  readonly executions: Map<string, number> = new Map();
  /** When a model was first called since this was set to 0. */
  modelCalledAt = 0;
  readonly #awaited = new Map<string, () => void>();
  #executionsLeft = 0;
  #onEnough: () => void = () => {};

  executed(threadId: string): void {
    this.executions.set(threadId, now());
    this.#awaited.get(threadId)?.();
    this.#awaited.delete(threadId);
    this.#executionsLeft -= 1;
    if (this.#executionsLeft === 0) this.#onEnough();
  }

  modelCalled(): void {
    if (this.modelCalledAt === 0) this.modelCalledAt = now();
  }

  /** Resolves at the next execution on a thread. */
  awaitExecution(threadId: string): Promise<void> {
    return new Promise((resolve) => this.#awaited.set(threadId, resolve));
  }

  /** Resolves after so many executions more. */
  awaitExecutions(count: number): Promise<void> {
    this.#executionsLeft = count;
    return new Promise((resolve) => {
      this.#onEnough = resolve;
    });
  }
}
