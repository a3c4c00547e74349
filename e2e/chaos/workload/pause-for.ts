import { setTimeout as sleep } from "node:timers/promises";

/** Waits for a time; rejects when the signal is aborted. */
export async function pauseFor(ms: number, signal?: AbortSignal): Promise<void> {
  await sleep(ms, undefined, signal === undefined ? {} : { signal });
}
