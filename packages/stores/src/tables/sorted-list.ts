/**
 * Items in an order in which no two are equal. Finding a position takes a few comparisons; what stands behind it is moved, which
 * for the hundred thousand items a process may hold takes microseconds. `Key` is what of an item its position depends on.
 */
export class SortedList<Item extends Key, Key = Item> implements Iterable<Item> {
  readonly #items: Item[] = [];
  readonly #compare: (item: Key, other: Key) => number;

  constructor(compare: (item: Key, other: Key) => number) {
    this.#compare = compare;
  }

  get size(): number {
    return this.#items.length;
  }

  get first(): Item | undefined {
    return this.#items[0];
  }

  get last(): Item | undefined {
    return this.#items.at(-1);
  }

  add(item: Item): void {
    this.#items.splice(this.#positionOf(item), 0, item);
  }

  remove(item: Key): void {
    const position = this.#positionOf(item);
    const found = this.#items[position];
    if (found !== undefined && this.#compare(found, item) === 0) this.#items.splice(position, 1);
  }

  /** The first so many items that come after a position; nothing need be there. */
  after(item: Key, limit: number): readonly Item[] {
    const position = this.#positionOf(item);
    const found = this.#items[position];
    const start = found !== undefined && this.#compare(found, item) === 0 ? position + 1 : position;
    return this.#items.slice(start, start + limit);
  }

  find(isWanted: (item: Item) => boolean): Item | undefined {
    return this.#items.find(isWanted);
  }

  findLast(isWanted: (item: Item) => boolean): Item | undefined {
    return this.#items.findLast(isWanted);
  }

  [Symbol.iterator](): ArrayIterator<Item> {
    return this.#items.values();
  }

  /** The position of an item, or where it would go. */
  #positionOf(item: Key): number {
    let [low, high] = [0, this.#items.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = this.#items[middle];
      if (other !== undefined && this.#compare(other, item) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
