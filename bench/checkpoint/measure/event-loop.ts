import { monitorEventLoopDelay, performance } from "node:perf_hooks";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Contestant, Runner } from "../contestant.ts";
import { COMMITS_PER_RUN } from "../load/play-run.ts";
import type { Effort } from "./effort.ts";
import { runAll } from "./throughput.ts";

/** What a contestant did to the event loop of the process it works in. */
export interface LoopReport {
  readonly contestant: string;
  /** How late a timer of one millisecond was, in milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  /** How long the loop stood still without computing, in milliseconds a commit: it waited for a disk, or for a core. */
  readonly stillMs: number;
}

const RESOLUTION_MS = 1;

/** Watches the event loop while so many runs at a time are kept. */
export async function measureLoop(contestant: Contestant, concurrency: number, effort: Effort): Promise<LoopReport> {
  const runner = turning(await contestant.open(concurrency));
  try {
    const runs = concurrency * Math.max(2, Math.round((effort.repetitions * effort.sampleMs) / 200));
    await runAll(runner, concurrency, runs);
    const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
    histogram.enable();
    const loopBefore = performance.eventLoopUtilization();
    const cpuBefore = process.threadCpuUsage();
    await runAll(runner, concurrency, runs);
    const { user, system } = process.threadCpuUsage(cpuBefore);
    const { active } = performance.eventLoopUtilization(loopBefore);
    histogram.disable();
    const late = (nanoseconds: number): number => Math.max(nanoseconds / 1e6 - RESOLUTION_MS, 0);
    return {
      contestant: contestant.name,
      p50: late(histogram.percentile(50)),
      p99: late(histogram.percentile(99)),
      max: late(histogram.max),
      stillMs: Math.max(active - (user + system) / 1_000, 0) / runs / COMMITS_PER_RUN,
    };
  } finally {
    await runner.close();
  }
}

/** Lets the loop turn after every run, also of a contestant that never waits. */
function turning(runner: Runner): Runner {
  return {
    ...runner,
    async run() {
      await runner.run();
      await nextTurn();
    },
  };
}
