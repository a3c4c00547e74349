/**
 * Items in an order in which no two are equal. Finding a place takes a few comparisons; what stands behind it is moved, which
 * for the hundred thousand items a process may hold takes microseconds. `Key` is what of an item its place depends on.
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
    this.#items.splice(this.#placeOf(item), 0, item);
  }

  remove(item: Key): void {
    const place = this.#placeOf(item);
    const found = this.#items[place];
    if (found !== undefined && this.#compare(found, item) === 0) this.#items.splice(place, 1);
  }

  /** The first so many items that come after a place; nothing need be there. */
  after(item: Key, limit: number): readonly Item[] {
    const place = this.#placeOf(item);
    const found = this.#items[place];
    const start = found !== undefined && this.#compare(found, item) === 0 ? place + 1 : place;
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

  /** The place of an item, or where it would go. */
  #placeOf(item: Key): number {
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
