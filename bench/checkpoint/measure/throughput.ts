import type { Contestant, Runner } from "../contestant.ts";
import type { BytesMeter } from "./bytes-written.ts";
import type { Effort } from "./effort.ts";
import { shuffle } from "./shuffle.ts";

/** What a contestant did in its samples, one a repetition. */
export interface Throughput {
  readonly contestant: string;
  readonly concurrency: number;
  /** Runs a second. */
  readonly rates: readonly number[];
  /** CPU milliseconds a run in this process, all of its threads. */
  readonly cpuMs: readonly number[];
  /** Bytes written a run, over all samples: some of them pay for the checkpoints of others. */
  readonly bytes: number;
  readonly runs: number;
}

interface Sample {
  readonly rate: number;
  readonly cpuMs: number;
  readonly bytes: number;
}

interface Entry {
  readonly contestant: string;
  readonly runner: Runner;
  readonly runs: number;
  readonly samples: Sample[];
}

/** How the samples are taken. */
interface Sampling {
  readonly concurrency: number;
  readonly readBytes: BytesMeter;
}

/**
 * Takes samples of whole runs: in every repetition each contestant once, in a new order, so that noise hits all of them. Each
 * stays open from its warm-up to its last sample, as in a process that lives long.
 */
export async function measureThroughput(
  contestants: readonly Contestant[],
  sampling: Sampling,
  effort: Effort,
): Promise<readonly Throughput[]> {
  const entries: Entry[] = [];
  try {
    for (const { name, open } of contestants) {
      const runner = await open(sampling.concurrency);
      entries.push({ contestant: name, runner, runs: await warmUp(runner, sampling, effort), samples: [] });
    }
    for (let repetition = 0; repetition < effort.repetitions; repetition++) {
      for (const { runner, runs, samples } of shuffle(entries)) samples.push(await takeSample(runner, sampling, runs));
    }
  } finally {
    for (const { runner } of entries) await runner.close();
  }
  return entries.map(({ contestant, runs, samples }) => ({
    contestant,
    concurrency: sampling.concurrency,
    runs,
    rates: samples.map(({ rate }) => rate),
    cpuMs: samples.map(({ cpuMs }) => cpuMs),
    bytes: samples.reduce((sum, { bytes }) => sum + bytes, 0) / samples.length,
  }));
}

/** Returns how many runs make a sample: whole rounds of the concurrency. */
async function warmUp(runner: Runner, sampling: Sampling, { sampleMs, warmUpMs }: Effort): Promise<number> {
  const startedAt = performance.now();
  let runs = sampling.concurrency;
  for (;;) {
    const { rate } = await takeSample(runner, sampling, runs);
    const rounds = Math.max(1, Math.round((rate * sampleMs) / 1_000 / sampling.concurrency));
    runs = rounds * sampling.concurrency;
    if (performance.now() - startedAt > warmUpMs) return runs;
  }
}

async function takeSample(runner: Runner, { concurrency, readBytes }: Sampling, runs: number): Promise<Sample> {
  globalThis.gc?.({ type: "minor" });
  const bytesBefore = await readBytes();
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  await runAll(runner, concurrency, runs);
  const tookMs = performance.now() - startedAt;
  const { user, system } = process.cpuUsage(cpuBefore);
  const bytes = (await readBytes()) - bytesBefore;
  return { rate: (runs / tookMs) * 1_000, cpuMs: (user + system) / 1_000 / runs, bytes: bytes / runs };
}

/** So many runs, so many at a time; a worker that is done takes the next. */
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
