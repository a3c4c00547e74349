import { setTimeout as wait } from "node:timers/promises";

/** Lets some time pass before something is tried again, each time more. */
export async function pauseBefore(attempt: number): Promise<void> {
  if (attempt > 1) await wait(5 * 2 ** attempt);
}
