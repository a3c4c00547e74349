import { compareNames, type ThreadName } from "./thread-name.ts";
import type { ThreadTables } from "./thread-tables.ts";

/** The existing threads. They are sorted only when they are listed, which is rare. */
export class ThreadList implements Iterable<ThreadTables> {
  readonly #threads = new Set<ThreadTables>();
  /** By name, as far as they were there when they were last put in order. */
  #sorted: readonly ThreadTables[] = [];
  #isSorted = true;

  add(thread: ThreadTables): void {
    this.#threads.add(thread);
    this.#isSorted = false;
  }

  remove(thread: ThreadTables): void {
    this.#threads.delete(thread);
    this.#isSorted = false;
  }

  /** The first so many that come after a name; nothing need have it. */
  after(name: ThreadName, limit: number): readonly ThreadTables[] {
    if (!this.#isSorted) this.#sort();
    let [low, high] = [0, this.#sorted.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const thread = this.#sorted[middle];
      if (thread !== undefined && compareNames(thread, name) > 0) high = middle;
      else low = middle + 1;
    }
    return this.#sorted.slice(low, low + limit);
  }

  [Symbol.iterator](): SetIterator<ThreadTables> {
    return this.#threads.values();
  }

  /** What was in order before stays in front, so that little is left to sort. */
  #sort(): void {
    const kept = new Set(this.#sorted.filter((thread) => this.#threads.has(thread)));
    for (const thread of this.#threads) kept.add(thread);
    this.#sorted = [...kept].sort(compareNames);
    this.#isSorted = true;
  }
}
