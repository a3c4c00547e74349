import { createHash } from "node:crypto";

/** Random numbers that a seed repeats. What is drawn under one name does not depend on what is drawn under another. */
export interface SeededRandom {
  /** A number in [0, 1). */
  next(): number;
  /** A whole number from `least` to `most`, both included. */
  between(least: number, most: number): number;
  pick<Item>(items: readonly [Item, ...Item[]]): Item;
  /** Picks by weight; the weights need not add up to anything. */
  pickWeighted<Item extends string>(weights: Readonly<Record<Item, number>>): Item;
  chance(probability: number): boolean;
  /** Numbers of its own for one purpose. */
  branch(name: string): SeededRandom;
}

export function createSeededRandom(seed: string): SeededRandom {
  let state = createHash("sha256").update(seed).digest().readUInt32LE(0);
  /** Mulberry32: small, quick, and good enough to choose faults by. */
  const next = (): number => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (least: number, most: number): number => least + Math.floor(next() * (most - least + 1));
  return {
    next,
    between,
    pick: (items) => items[between(0, items.length - 1)] ?? items[0],
    pickWeighted<Item extends string>(weights: Readonly<Record<Item, number>>): Item {
      // The keys of a record are the names it was typed with.
      const entries = Object.entries(weights) as [Item, number][];
      let left = next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
      for (const [item, weight] of entries) {
        left -= weight;
        if (left < 0) return item;
      }
      throw new RangeError("There is nothing to pick from.");
    },
    chance: (probability) => next() < probability,
    branch: (name) => createSeededRandom(`${seed}/${name}`),
  };
}
