import { setImmediate } from "node:timers/promises";

/** Bytes in pieces of these lengths, over and over. All are in one buffer, as those of a stream may be. */
export async function* inPieces(content: Uint8Array, ...lengths: readonly number[]): AsyncGenerator<Uint8Array, void> {
  const buffer = new Uint8Array(Math.max(...lengths));
  for (let start = 0, turn = 0; start < content.byteLength; turn += 1) {
    const length = lengths[turn % lengths.length] ?? 0;
    const piece = content.subarray(start, start + length);
    buffer.set(piece);
    yield buffer.subarray(0, piece.byteLength);
    start += piece.byteLength;
    if (turn % 16 === 0) await setImmediate();
  }
}

/** A source that breaks off after its bytes, and knows whether it was told that nobody reads on. */
export class BrokenSource implements AsyncIterable<Uint8Array> {
  readonly error: Error = new Error("The source broke off.");
  readonly #content: Uint8Array;
  isClosed = false;

  constructor(content: Uint8Array) {
    this.#content = content;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void> {
    try {
      yield* inPieces(this.#content, 100_000, 1);
      throw this.error;
    } finally {
      this.isClosed = true;
    }
  }
}
