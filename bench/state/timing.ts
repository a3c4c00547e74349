import type { Json } from "./json.ts";

const kept: { last: Json } = { last: null };

/** Holds on to what was computed, so that the compiler cannot leave the work out. */
export function keepResult(result: Json): void {
  kept.last = result;
}

/** Milliseconds that a run takes. What came before is swept up first: only the young generation, a full sweep ages code. */
export function timeRun(run: () => Json): number {
  sweepYoung();
  const startedAt = performance.now();
  keepResult(run());
  return performance.now() - startedAt;
}

export function sweepYoung(): void {
  globalThis.gc?.({ type: "minor" });
}
