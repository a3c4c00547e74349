import type { Form, Measurement } from "./measure.ts";
import { type Summary, summarize } from "./statistics.ts";

/** All measurements of a run, to be asked for by case, form and contestant. */
export interface Results {
  rowsOf(caseId: string, form: Form): readonly Row[];
  /** The row of a contestant, which must have run. */
  row(caseId: string, form: Form, contestant: string): Row;
}

export interface Row {
  readonly contestant: string;
  /** Nanoseconds per change, one number a repetition. */
  readonly samples: readonly number[];
  readonly time: Summary;
  readonly changes: number;
}

export function createResults(measurements: readonly Measurement[]): Results {
  const rowsOf = (caseId: string, form: Form): readonly Row[] =>
    measurements
      .filter((measurement) => measurement.caseId === caseId && measurement.form === form)
      .map(({ contestant, samples, changes }) => ({ contestant, samples, time: summarize(samples), changes }));
  return {
    rowsOf,
    row(caseId, form, contestant) {
      const found = rowsOf(caseId, form).find((row) => row.contestant === contestant);
      if (found === undefined) throw new Error(`${contestant} did not run ${caseId}, ${form}.`);
      return found;
    },
  };
}

/** How many times as fast the first is as the second: the median over the repetitions, whose noise both share. */
export function speedOf(row: Row, reference: Row): number {
  return summarize(row.samples.map((sample, repetition) => (reference.samples[repetition] ?? Number.NaN) / sample))
    .median;
}
