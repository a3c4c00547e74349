/** How long everything takes. */
export interface Effort {
  readonly repetitions: number;
  /** Of one contestant in one repetition. */
  readonly sampleMs: number;
  /** Of one contestant before its first sample: statements are planned and code is compiled, as in a process that lives long. */
  readonly warmUpMs: number;
  /** Over how many runs statements are counted. */
  readonly countedRuns: number;
  readonly turns: readonly [number, number];
  readonly longThread: number;
  readonly lengthRepetitions: number;
  readonly loadRepetitions: number;
}

export const FULL_EFFORT: Effort = {
  repetitions: 11,
  sampleMs: 500,
  warmUpMs: 2_000,
  countedRuns: 300,
  turns: [200, 400],
  longThread: 5_000,
  lengthRepetitions: 60,
  loadRepetitions: 15,
};

export const QUICK_EFFORT: Effort = {
  repetitions: 3,
  sampleMs: 150,
  warmUpMs: 300,
  countedRuns: 30,
  turns: [20, 40],
  longThread: 500,
  lengthRepetitions: 8,
  loadRepetitions: 5,
};
