import { collectGarbage } from "./collect-garbage.ts";
import { openRuntime, runOnce } from "./contestants/reprise.ts";

/** The heap after a number of runs, all garbage collected. */
export interface HeapPoint {
  readonly runs: number;
  readonly bytes: number;
}

/** What is measured before this many tenths of the runs is warm-up: code being compiled, caches being filled. */
const WARM_UP_TENTHS = 2;

/**
 * Runs on new threads in one runtime. The memory store keeps every thread, as it should; so each is deleted after its run,
 * and what still grows is a leak.
 */
export async function measureHeap(runs: number): Promise<readonly HeapPoint[]> {
  const runtime = await openRuntime();
  const points: HeapPoint[] = [];
  for (let run = 1; run <= runs; run++) {
    const { threadId } = await runOnce(runtime);
    await runtime.threads.delete(threadId);
    if (run % (runs / 10) !== 0) continue;
    await collectGarbage();
    points.push({ runs: run, bytes: process.memoryUsage().heapUsed });
  }
  await runtime.close();
  return points;
}

/** How much the heap grows by each run once it is warm. */
export function bytesPerRun(points: readonly HeapPoint[]): number {
  const first = points[WARM_UP_TENTHS - 1];
  const last = points.at(-1);
  if (first === undefined || last === undefined) throw new Error("There are too few points.");
  return (last.bytes - first.bytes) / (last.runs - first.runs);
}
