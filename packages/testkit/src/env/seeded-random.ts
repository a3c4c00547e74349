/** Numbers in [0, 1) that look random and are the same for the same seed (mulberry32). */
export function createSeededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** UUIDv7 from a clock and a source of numbers; ids made later sort later. */
export function createSeededUuids(now: () => number, random: () => number): () => string {
  let count = 0;
  return () => {
    count += 1;
    const time = Math.trunc(now()).toString(16).padStart(12, "0");
    const order = (count % 0x1000).toString(16).padStart(3, "0");
    const tail = Array.from({ length: 15 }, () => Math.floor(random() * 16).toString(16)).join("");
    return `${time.slice(0, 8)}-${time.slice(8)}-7${order}-8${tail.slice(0, 3)}-${tail.slice(3)}`;
  };
}
