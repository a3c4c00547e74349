import { sweepYoung } from "./collect-garbage.ts";
import type { Contestant, Runner } from "./contestant.ts";
import { cpuMs } from "./cpu.ts";
import type { Effort } from "./effort.ts";

/** How many runs are under way at the same time. */
export const CONCURRENCIES: readonly number[] = [1, 100];

/** What one sample says of one run, in milliseconds. */
export interface Sample {
  readonly cpuMs: number;
  readonly wallMs: number;
}

export interface Measurement {
  readonly contestant: string;
  readonly concurrency: number;
  /** One a repetition. */
  readonly samples: readonly Sample[];
  /** Runs in one sample. */
  readonly runs: number;
}

/** Takes the samples of one concurrency: in every repetition each contestant once, in a new order. */
export async function measureAll(
  contestants: readonly Contestant[],
  concurrency: number,
  effort: Effort,
): Promise<readonly Measurement[]> {
  const entries: { contestant: Contestant; runs: number; samples: Sample[] }[] = [];
  for (const contestant of contestants) {
    entries.push({ contestant, runs: await calibrate(contestant, concurrency, effort), samples: [] });
  }
  for (let repetition = 0; repetition < effort.repetitions; repetition++) {
    for (const { contestant, runs, samples } of shuffle(entries)) {
      samples.push(await takeSample(contestant, concurrency, runs));
    }
  }
  return entries.map(({ contestant, runs, samples }) => ({ contestant: contestant.name, concurrency, runs, samples }));
}

/** Warms a contestant up and says how many runs make a sample: whole rounds of the concurrency. */
async function calibrate(contestant: Contestant, concurrency: number, effort: Effort): Promise<number> {
  const startedAt = cpuMs();
  let runs = concurrency;
  for (;;) {
    const { cpuMs: each } = await takeSample(contestant, concurrency, runs);
    runs = Math.max(1, Math.round(effort.sampleMs / each / concurrency)) * concurrency;
    if (cpuMs() - startedAt > effort.warmUpMs) return runs;
  }
}

async function takeSample(contestant: Contestant, concurrency: number, runs: number): Promise<Sample> {
  const runner = await contestant.open();
  sweepYoung();
  const startedAt = performance.now();
  const cpuBefore = cpuMs();
  await Promise.all(Array.from({ length: concurrency }, () => runMany(runner, runs / concurrency)));
  const cpu = cpuMs() - cpuBefore;
  const wall = performance.now() - startedAt;
  await runner.close();
  return { cpuMs: cpu / runs, wallMs: wall / runs };
}

async function runMany(runner: Runner, runs: number): Promise<void> {
  for (let run = 0; run < runs; run++) await runner.run();
}

export function shuffle<Item>(items: readonly Item[]): Item[] {
  return items
    .map((item) => ({ item, order: Math.random() }))
    .sort((left, right) => left.order - right.order)
    .map(({ item }) => item);
}
