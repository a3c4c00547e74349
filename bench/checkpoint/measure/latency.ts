import type { Contestant, Runner } from "../contestant.ts";
import { COMMITS_PER_RUN } from "../load/play-run.ts";
import type { Effort } from "./effort.ts";
import { shuffle } from "./shuffle.ts";
import { summarize } from "./statistics.ts";

/** How long each transaction of a run took, one run at a time. */
export interface Latency {
  readonly contestant: string;
  /** The median of each of the run's transactions, in milliseconds. */
  readonly commits: readonly number[];
}

const BLOCK = 20;
const BLOCKS_PER_REPETITION = 4;

/** Measures single transactions, in short blocks of one contestant and then the other. */
export async function measureLatency(contestants: readonly Contestant[], effort: Effort): Promise<readonly Latency[]> {
  const entries: { readonly contestant: string; readonly runner: Runner; readonly samples: readonly number[][] }[] = [];
  try {
    for (const { name, open } of contestants) {
      const runner = await open(1);
      entries.push({ contestant: name, runner, samples: Array.from({ length: COMMITS_PER_RUN }, () => []) });
      const startedAt = performance.now();
      while (performance.now() - startedAt < effort.warmUpMs) await takeBlock(runner, []);
    }
    for (let block = 0; block < effort.repetitions * BLOCKS_PER_REPETITION; block++) {
      for (const { runner, samples } of shuffle(entries)) await takeBlock(runner, samples);
    }
  } finally {
    for (const { runner } of entries) await runner.close();
  }
  return entries.map(({ contestant, samples }) => {
    return { contestant, commits: samples.map((times) => summarize(times).median) };
  });
}

async function takeBlock(runner: Runner, samples: readonly number[][]): Promise<void> {
  for (let run = 0; run < BLOCK; run++) {
    let commit = 0;
    let last = performance.now();
    await runner.run(() => {
      const now = performance.now();
      samples[commit]?.push(now - last);
      commit += 1;
      last = now;
    });
  }
}

/** What one contestant adds to a transaction of another, in milliseconds: the mean over the run's transactions. */
export function addedMs(latency: Latency, reference: Latency): number {
  const added = latency.commits.map((time, index) => time - (reference.commits[index] ?? Number.NaN));
  return added.reduce((sum, time) => sum + time, 0) / added.length;
}
