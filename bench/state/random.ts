/** A seeded generator of numbers in [0, 1), so that every run and every contestant meets the same log. */
export type Random = () => number;

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function pickIndex(random: Random, length: number): number {
  return Math.floor(random() * length);
}

export function pick<Item>(random: Random, items: readonly Item[]): Item {
  // An index below the length of a list that is never empty.
  return items[pickIndex(random, items.length)] as Item;
}
