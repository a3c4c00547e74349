import type { Contestant, Runner } from "../contestant.ts";
import type { Effort } from "./effort.ts";
import { shuffle } from "./shuffle.ts";

/** What a contestant did in its samples, one a repetition. */
export interface Throughput {
  readonly contestant: string;
  readonly concurrency: number;
  /** Runs a second. */
  readonly rates: readonly number[];
  readonly runs: number;
}

interface Entry {
  readonly contestant: string;
  readonly runner: Runner;
  readonly runs: number;
  readonly rates: number[];
}

/**
 * Takes samples of whole runs: in every repetition each contestant once, in a new order, so that noise hits all of them. Each
 * stays open from its warm-up to its last sample, as in a process that lives long.
 */
export async function measureThroughput(
  contestants: readonly Contestant[],
  concurrency: number,
  effort: Effort,
): Promise<readonly Throughput[]> {
  const entries: Entry[] = [];
  try {
    for (const { name, open } of contestants) {
      const runner = await open(concurrency);
      entries.push({ contestant: name, runner, runs: await warmUp(runner, concurrency, effort), rates: [] });
    }
    for (let repetition = 0; repetition < effort.repetitions; repetition++) {
      for (const { runner, runs, rates } of shuffle(entries)) rates.push(await takeSample(runner, concurrency, runs));
    }
  } finally {
    for (const { runner } of entries) await runner.close();
  }
  return entries.map(({ contestant, runs, rates }) => ({ contestant, concurrency, runs, rates }));
}

/** Returns how many runs make a sample: whole rounds of the concurrency. */
async function warmUp(runner: Runner, concurrency: number, { sampleMs, warmUpMs }: Effort): Promise<number> {
  const startedAt = performance.now();
  let runs = concurrency;
  for (;;) {
    const rate = await takeSample(runner, concurrency, runs);
    runs = Math.max(1, Math.round((rate * sampleMs) / 1_000 / concurrency)) * concurrency;
    if (performance.now() - startedAt > warmUpMs) return runs;
  }
}

async function takeSample(runner: Runner, concurrency: number, runs: number): Promise<number> {
  globalThis.gc?.({ type: "minor" });
  await runner.prepare?.(runs);
  const startedAt = performance.now();
  await runAll(runner, concurrency, runs);
  return (runs / (performance.now() - startedAt)) * 1_000;
}

/** So many runs, so many at a time; whoever is done takes the next. */
export async function runAll(runner: Runner, concurrency: number, runs: number): Promise<void> {
  let left = runs;
  const lane = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await runner.run();
    }
  };
  await Promise.all(Array.from({ length: concurrency }, lane));
}
