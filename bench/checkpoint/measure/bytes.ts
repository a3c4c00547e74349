import type { Effort } from "./effort.ts";

/** How much a store grows by what is said. */
export interface BytesReport {
  readonly store: string;
  readonly turns: readonly [number, number];
  /** Bytes on disk a thread, over those of the empty store, after each number of turns. */
  readonly bytes: readonly [number, number];
  readonly payload: readonly [number, number];
  /** What the empty store takes. */
  readonly emptyBytes: number;
}

/** What is said in a turn: 1 kB in, 1 kB out. */
export const PAYLOAD_PER_TURN = 2_000;

/** One thread in an empty store pays for every file and page that is begun; of several, each pays its share. Both are reported. */
export const THREAD_COUNTS: readonly number[] = [5, 1];

export function nameOfSize(store: string, threads: number): string {
  return threads === 1 ? `${store}, one thread alone` : `${store}, ${threads} threads`;
}

/** A contestant that keeps what is said. */
export interface Keeper {
  readonly store: string;
  /** So many turns on a thread, a new one when none is given; returns the thread. */
  turns(count: number, threadId?: string): Promise<string>;
  size(): Promise<number>;
}

/** Threads of the first number of turns, and then of the second. */
export async function measureBytes(keeper: Keeper, { turns }: Effort, threads: number): Promise<BytesReport> {
  const [first, second] = turns;
  const emptyBytes = await keeper.size();
  const ids: string[] = [];
  for (let thread = 0; thread < threads; thread++) ids.push(await keeper.turns(first));
  const afterFirst = await keeper.size();
  for (const id of ids) await keeper.turns(second - first, id);
  const afterSecond = await keeper.size();
  return {
    store: keeper.store,
    turns,
    bytes: [(afterFirst - emptyBytes) / threads, (afterSecond - emptyBytes) / threads],
    payload: [first * PAYLOAD_PER_TURN, second * PAYLOAD_PER_TURN],
    emptyBytes,
  };
}
