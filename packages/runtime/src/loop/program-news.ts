import type { ProgramNews } from "@reprise/contracts";

/** News on their way to a program, and the program that waits for them. */
export class ProgramNewsQueue {
  readonly #news: ProgramNews[] = [];
  #wake: (() => void) | undefined;

  get isEmpty(): boolean {
    return this.#news.length === 0;
  }

  add(...news: readonly ProgramNews[]): void {
    this.#news.push(...news);
  }

  /**
   * Takes everything, answers first. The call of an answer is over with the next commit: a program has to know the answer before
   * it commits anything, or a crash loses it.
   */
  take(): readonly ProgramNews[] {
    const news = this.#news.splice(0);
    return [...news.filter(isAnswer), ...news.filter((each) => !isAnswer(each))];
  }

  /** Has a listener called at the next `wake`, once. */
  onWake(listener: () => void): void {
    this.#wake = listener;
  }

  readonly wake = (): void => {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  };
}

function isAnswer({ type }: ProgramNews): boolean {
  return type === "answered" || type === "expired" || type === "child";
}
