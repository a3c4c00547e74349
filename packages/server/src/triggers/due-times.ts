import type { CronTimes } from "./cron-times.ts";

/**
 * The times of a schedule that have come since the last one that was fired. Every time within the window counts. Of those that were missed before
 * it, while no process was there, at most the last one counts, and only when no later one does.
 */
export function dueTimes(
  times: CronTimes,
  { last, now, windowMs }: { readonly last: number; readonly now: number; readonly windowMs: number },
): readonly number[] {
  const due: number[] = [];
  let time = times.next(Math.max(last, now - windowMs - 1));
  while (time !== undefined && time <= now) {
    due.push(time);
    time = times.next(time);
  }
  if (due.length > 0) return due;
  const missed = times.latest(now);
  return missed !== undefined && missed > last ? [missed] : [];
}
