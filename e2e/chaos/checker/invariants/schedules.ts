import { SCHEDULE_MS, scheduledTime } from "../../workload/schedule-document.ts";
import type { History, ThreadHistory, Violation } from "../history.ts";

/** Part of I12: from the first time of a schedule that fired to the last one, each fired once. Its run is on a thread that the time names. */
export function findWrongSchedules(history: History): readonly Violation[] {
  const fired = new Map<number, ThreadHistory>();
  for (const thread of history.threads) {
    const time = scheduledTime(thread.thread.thread_id);
    if (time !== undefined) fired.set(time, thread);
  }
  const violation = (message: string, thread_id?: string): Violation => {
    return { invariant: "I12", message, ...(thread_id !== undefined && { thread_id }) };
  };
  const often = [...fired.values()].flatMap(({ thread, entries, runs }) => {
    const asked = entries.filter(({ kind }) => kind === "run").length;
    const times = Math.max(asked, runs.length);
    return times === 1 ? [] : [violation(`The schedule fired ${times} times at once.`, thread.thread_id)];
  });
  const times = [...fired.keys()].toSorted((left, right) => left - right);
  const missed: Violation[] = [];
  for (let time = times[0] ?? 0; time < (times.at(-1) ?? 0); time += SCHEDULE_MS) {
    if (!fired.has(time)) missed.push(violation(`The schedule did not fire at ${new Date(time).toISOString()}.`));
  }
  return [...often, ...missed];
}
