import { setImmediate } from "node:timers/promises";

/** Collects everything: what weak references hold goes only between two turns. */
export async function collectGarbage(): Promise<void> {
  if (globalThis.gc === undefined) throw new Error("Run with --expose-gc, as `npm start` does.");
  for (let round = 0; round < 2; round++) {
    await setImmediate();
    globalThis.gc();
  }
}

/** What came before a sample is not its own. Only the young generation: a full collection throws compiled code away. */
export function sweepYoung(): void {
  globalThis.gc?.({ type: "minor" });
}
