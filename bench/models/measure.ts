import { WORDS } from "./answer.ts";
import type { Reader } from "./readers.ts";

export interface Effort {
  readonly repetitions: number;
  readonly streams: number;
  readonly warmUp: number;
}

/** Of one reader: milliseconds a stream, of CPU and on the clock, by sample. */
export interface Measurement {
  readonly reader: Reader;
  readonly cpuMs: readonly number[];
  readonly clockMs: readonly number[];
}

/** In every repetition each reader takes one sample, so that a slow moment of the machine hits all of them. */
export async function measure(
  readers: readonly Reader[],
  url: string,
  effort: Effort,
): Promise<readonly Measurement[]> {
  const measurements = readers.map((reader) => ({ reader, cpuMs: [] as number[], clockMs: [] as number[] }));
  for (const { reader } of measurements) await sample(reader, url, effort.warmUp);
  for (let repetition = 0; repetition < effort.repetitions; repetition++) {
    for (const { reader, cpuMs, clockMs } of measurements) {
      globalThis.gc?.({ type: "minor" });
      const taken = await sample(reader, url, effort.streams);
      cpuMs.push(taken.cpuMs);
      clockMs.push(taken.clockMs);
    }
  }
  return measurements;
}

const EXPECTED = WORDS.join("");

async function sample(
  reader: Reader,
  url: string,
  streams: number,
): Promise<{ readonly cpuMs: number; readonly clockMs: number }> {
  const cpu = process.cpuUsage();
  const startedAt = performance.now();
  for (let stream = 0; stream < streams; stream++) {
    if ((await reader.read(url)) !== EXPECTED) throw new Error(`${reader.name} did not hear the whole answer.`);
  }
  const clockMs = (performance.now() - startedAt) / streams;
  const { user, system } = process.cpuUsage(cpu);
  return { cpuMs: (user + system) / 1000 / streams, clockMs };
}

/** The median of a sample divided by the one beside it: what the machine did to one it did to the other. */
export function medianRatio(left: readonly number[], right: readonly number[]): number {
  return median(left.map((value, index) => value / (right[index] ?? Number.NaN)));
}

export function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[values.length >> 1] ?? Number.NaN;
}
