import type { CommitCell } from "./cells.ts";

/** The commits of a thread by version. One that is missing was in a line of a log that cannot be read. */
export class CommitList implements Iterable<CommitCell> {
  readonly #cells: CommitCell[] = [];

  get last(): CommitCell | undefined {
    return this.#cells.at(-1);
  }

  /** The versions of commits only grow. */
  add(cell: CommitCell): void {
    this.#cells.push(cell);
  }

  removeLast(): void {
    this.#cells.pop();
  }

  clear(): void {
    this.#cells.length = 0;
  }

  get(version: number): CommitCell | undefined {
    const cell = this.#cells[this.#firstIndex((other) => other.version >= version)];
    return cell?.version === version ? cell : undefined;
  }

  /** Those after a version, up to another one. */
  range(after: number, upTo: number): readonly CommitCell[] {
    const start = this.#firstIndex(({ version }) => version > after);
    return this.#cells.slice(
      start,
      this.#firstIndex(({ version }) => version > upTo),
    );
  }

  /** Those that have messages at positions from `first` to `last`, both included, in either order. */
  *withMessages(first: number, last: number, order: "asc" | "desc"): Iterable<CommitCell> {
    const start = this.#firstIndex(({ first_position, message_count }) => first_position + message_count > first);
    const end = this.#firstIndex(({ first_position }) => first_position > last);
    for (let step = 0; step < end - start; step += 1) {
      const cell = this.#cells[order === "asc" ? start + step : end - 1 - step];
      if (cell !== undefined && cell.message_count > 0) yield cell;
    }
  }

  [Symbol.iterator](): ArrayIterator<CommitCell> {
    return this.#cells.values();
  }

  /** The index of the first commit that is far enough; all after it are as well. */
  #firstIndex(isFarEnough: (cell: CommitCell) => boolean): number {
    let [low, high] = [0, this.#cells.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const cell = this.#cells[middle];
      if (cell !== undefined && isFarEnough(cell)) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
