/**
 * Makes the clock of this process wrong by a time, for everything that asks it, and for good. Returns a clock that is right. What
 * only counts time, such as timers and leases in monotonic time, is not touched: computers are wrong about the hour, not about seconds.
 */
export function skewClock(skewMs: number): () => number {
  const trueNow = Date.now.bind(Date);
  if (skewMs !== 0) Date.now = () => trueNow() + skewMs;
  return trueNow;
}
