/** Calls back once after a time, and does not keep the process alive for it. Set while it is set, it changes nothing. */
export class Alarm {
  readonly #ms: number;
  readonly #callBack: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(ms: number, callBack: () => void) {
    this.#ms = ms;
    this.#callBack = callBack;
  }

  set(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#callBack();
    }, this.#ms).unref();
  }

  clear(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
