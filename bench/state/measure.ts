import type { Case } from "./cases.ts";
import type { Contestant } from "./contestant.ts";
import { createSamplers, type Sampler } from "./samplers.ts";
import { sweepYoung } from "./timing.ts";

/** How long everything takes. */
export interface Effort {
  readonly repetitions: number;
  readonly replayRepetitions: number;
  readonly sampleMs: number;
  /** A replay that takes longer is measured on the first patches of its log. */
  readonly longestReplayMs: number;
}

export const FULL_EFFORT: Effort = { repetitions: 15, replayRepetitions: 9, sampleMs: 50, longestReplayMs: 200 };
export const QUICK_EFFORT: Effort = { repetitions: 3, replayRepetitions: 3, sampleMs: 10, longestReplayMs: 50 };

/** The samples of one contestant in one measured form of a case. */
export interface Measurement {
  readonly caseId: string;
  readonly form: Form;
  readonly contestant: string;
  /** Nanoseconds per change, one number a repetition. */
  readonly samples: readonly number[];
  /** Changes in one sample. */
  readonly changes: number;
}

export type Form = "one by one" | "one step";

/** Takes the samples of a case: in every repetition each contestant once, in a new order. */
export function measureCase(testCase: Case, contestants: readonly Contestant[], effort: Effort): Measurement[] {
  const samplers = contestants.flatMap((contestant) => createSamplers(contestant, testCase, effort));
  const samples = new Map<Sampler, number[]>(samplers.map((sampler) => [sampler, []]));
  const repetitions = testCase.kind === "operation" ? effort.repetitions : effort.replayRepetitions;
  for (let repetition = 0; repetition < repetitions; repetition++) {
    for (const sampler of shuffle(samplers)) {
      sweepYoung();
      samples.get(sampler)?.push(sampler.sample());
    }
  }
  return samplers.map((sampler) => ({
    caseId: testCase.id,
    form: sampler.form,
    contestant: sampler.contestant,
    samples: samples.get(sampler) ?? [],
    changes: sampler.changes,
  }));
}

function shuffle<Item>(items: readonly Item[]): Item[] {
  return items
    .map((item) => ({ item, order: Math.random() }))
    .sort((left, right) => left.order - right.order)
    .map(({ item }) => item);
}
