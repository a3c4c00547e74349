import type { Measurement, Sample } from "./measure.ts";

/** A contestant's measurement, and the bare generator's in the same process and the same minute. */
export interface Paired extends Measurement {
  readonly reference: readonly Sample[];
}

/** What a process has to say of its contestant. */
export interface OneReport {
  readonly name: string;
  readonly note: string;
  readonly events: number;
  readonly measurements: readonly Paired[];
}
