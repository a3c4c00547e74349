import type { RpcMessage } from "@reprise/protocols/mcp";
import type { EventIterator } from "@reprise/runtime";

/** Messages that are made while a stream is read. */
export class MessageQueue implements EventIterator<RpcMessage> {
  readonly #waiting: RpcMessage[];
  #isOver = false;
  #wake: (() => void) | undefined;

  constructor(first: readonly RpcMessage[]) {
    this.#waiting = [...first];
  }

  /** A message that still waits is not doubled: a client that reads slowly needs to hear of a change only once. */
  push(message: RpcMessage): void {
    if (!this.#isOver && !this.#waiting.includes(message)) this.#waiting.push(message);
    this.#wake?.();
  }

  end(): void {
    this.#isOver = true;
    this.#wake?.();
  }

  takeNow(): RpcMessage | undefined {
    return this.#waiting.shift();
  }

  async next(): Promise<IteratorResult<RpcMessage, void>> {
    for (;;) {
      if (this.#isOver) return { done: true, value: undefined };
      const value = this.takeNow();
      if (value !== undefined) return { done: false, value };
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async return(): Promise<IteratorResult<RpcMessage, void>> {
    this.end();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
