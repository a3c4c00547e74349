import type { Measurement, Sample } from "./measure.ts";
import { type Summary, summarize } from "./statistics.ts";

/** A measurement, summed up. */
export interface Row {
  readonly contestant: string;
  readonly runs: number;
  readonly cpu: Summary;
  readonly wall: Summary;
  readonly samples: readonly Sample[];
}

export function rowsOf(measurements: readonly Measurement[], concurrency: number): readonly Row[] {
  return measurements
    .filter((measurement) => measurement.concurrency === concurrency)
    .map(({ contestant, runs, samples }) => ({
      contestant,
      runs,
      samples,
      cpu: summarize(samples.map(({ cpuMs }) => cpuMs)),
      wall: summarize(samples.map(({ wallMs }) => wallMs)),
    }));
}

export function rowOf(rows: readonly Row[], contestant: string): Row {
  const found = rows.find((row) => row.contestant === contestant);
  if (found === undefined) throw new Error(`${contestant} did not run.`);
  return found;
}

/** How many times the CPU of the second the first takes: the median over the repetitions, whose noise both share. */
export function costOf(row: Row, reference: Row): number {
  return summarize(row.samples.map(({ cpuMs }, index) => cpuMs / (reference.samples[index]?.cpuMs ?? Number.NaN)))
    .median;
}
