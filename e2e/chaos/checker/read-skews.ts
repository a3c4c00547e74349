import type { History } from "./history.ts";

/** How far the clock of an owner was ahead, by the thread and the epoch it had; 0 for one whose clock was right. */
export type SkewOf = (threadId: string, epoch: number | undefined) => number;

const cache = new WeakMap<History, SkewOf>();

export function readSkews(history: History): SkewOf {
  const known = cache.get(history);
  if (known !== undefined) return known;
  const skews = new Map(history.skews.map(({ thread_id, epoch, skew_ms }) => [`${epoch} ${thread_id}`, skew_ms]));
  const skewOf: SkewOf = (threadId, epoch) => skews.get(`${epoch} ${threadId}`) ?? 0;
  cache.set(history, skewOf);
  return skewOf;
}
