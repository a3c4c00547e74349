/** An abort signal that is only made when somebody wants to hear of it: most rounds are never interrupted. */
export class LazyAbort {
  #controller: AbortController | undefined;
  #aborted: { readonly reason: unknown } | undefined;

  get isAborted(): boolean {
    return this.#aborted !== undefined;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#aborted !== undefined) this.#controller.abort(this.#aborted.reason);
    }
    return this.#controller.signal;
  }

  /** The first reason counts. */
  abort(reason: unknown): void {
    this.#aborted ??= { reason };
    this.#controller?.abort(reason);
  }

  throwIfAborted(): void {
    if (this.#aborted !== undefined) throw this.#aborted.reason;
  }
}
