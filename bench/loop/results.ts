import type { Sample } from "./measure.ts";
import type { Paired } from "./paired.ts";
import { type Summary, summarize } from "./statistics.ts";

/** A measurement, summed up. */
export interface Row {
  readonly contestant: string;
  readonly runs: number;
  readonly cpu: Summary;
  readonly wall: Summary;
  readonly samples: readonly Sample[];
  /** The bare generator's, in the same process. */
  readonly reference: readonly Sample[];
}

export function rowsOf(measurements: readonly Paired[], concurrency: number): readonly Row[] {
  return measurements
    .filter((measurement) => measurement.concurrency === concurrency)
    .map(({ contestant, runs, samples, reference }) => ({
      contestant,
      runs,
      samples,
      reference,
      cpu: summarize(samples.map(({ cpuMs }) => cpuMs)),
      wall: summarize(samples.map(({ wallMs }) => wallMs)),
    }));
}

export function rowOf(rows: readonly Row[], contestant: string): Row {
  const found = rows.find((row) => row.contestant === contestant);
  if (found === undefined) throw new Error(`${contestant} did not run.`);
  return found;
}

/** How many times the CPU of the bare generator it takes: the median over the repetitions, whose noise both share. */
export function costOf({ samples, reference }: Row): number {
  return summarize(samples.map(({ cpuMs }, index) => cpuMs / (reference[index]?.cpuMs ?? Number.NaN))).median;
}
