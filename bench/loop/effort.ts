/** How long everything takes. */
export interface Effort {
  readonly repetitions: number;
  readonly sampleMs: number;
  /** CPU each contestant gets before its first sample: compiled code is what a server runs. */
  readonly warmUpMs: number;
  readonly heapRuns: number;
  readonly lengthRepetitions: number;
}

export const FULL_EFFORT: Effort = {
  repetitions: 11,
  sampleMs: 200,
  warmUpMs: 2_000,
  heapRuns: 10_000,
  lengthRepetitions: 12,
};

export const QUICK_EFFORT: Effort = {
  repetitions: 3,
  sampleMs: 30,
  warmUpMs: 100,
  heapRuns: 1_000,
  lengthRepetitions: 2,
};
