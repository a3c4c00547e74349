import type { Case } from "./cases.ts";
import { type BoundContestant, type Contestant, straight } from "./contestant.ts";
import type { Json } from "./json.ts";
import type { Effort, Form } from "./measure.ts";
import type { Sampler } from "./samplers.ts";
import { timeRun } from "./timing.ts";

const MOST_REPLAYS_A_SAMPLE = 8;
/** Patches applied off the clock where only a part of the log is timed: first-time costs belong to the whole log. */
const LEAD = 16;

/** One sampler for the log patch by patch and, where the contestant has a way, one for the log as one step. */
export function createReplaySamplers(contestant: Contestant, testCase: Case, effort: Effort): readonly Sampler[] {
  const bound = contestant.bind(testCase.changes);
  const { applyAll } = bound;
  const length = testCase.changes.length;
  const part = affordablePart(bound, testCase, effort);
  const replayPart = (): number => {
    const started = bound.applyOneByOne(parse(testCase), straight(0, LEAD));
    return timeRun(() => bound.applyOneByOne(started, straight(LEAD, part)));
  };
  const replayWhole = (): number => {
    const document = parse(testCase);
    return timeRun(() => bound.applyOneByOne(document, straight(0, length)));
  };
  const oneByOne =
    part < length
      ? createSampler(contestant, effort, "one by one", part, replayPart)
      : createSampler(contestant, effort, "one by one", length, replayWhole);
  if (applyAll === undefined) return [oneByOne];
  const replayAll = (): number => {
    const document = parse(testCase);
    return timeRun(() => applyAll(document));
  };
  return [oneByOne, createSampler(contestant, effort, "one step", length, replayAll)];
}

/** How many patches fit into the time for one sample. */
function affordablePart(bound: BoundContestant, testCase: Case, effort: Effort): number {
  const length = testCase.changes.length;
  const started = bound.applyOneByOne(parse(testCase), straight(0, LEAD));
  const patchMs = timeRun(() => bound.applyOneByOne(started, straight(LEAD, LEAD))) / LEAD;
  const affordable = Math.max(LEAD, Math.round(effort.longestReplayMs / patchMs));
  // A log that nearly fits is timed as a whole.
  return 4 * affordable >= length ? length : affordable;
}

function createSampler(
  contestant: Contestant,
  effort: Effort,
  form: Form,
  length: number,
  replay: () => number,
): Sampler {
  replay();
  const rounds = Math.min(MOST_REPLAYS_A_SAMPLE, Math.max(1, Math.round(effort.sampleMs / replay())));
  const changes = rounds * length;
  return {
    contestant: contestant.name,
    form,
    changes,
    sample() {
      let elapsedMs = 0;
      for (let round = 0; round < rounds; round++) elapsedMs += replay();
      return (elapsedMs * 1e6) / changes;
    },
  };
}

/** A document as a store gives it. */
function parse(testCase: Case): Json {
  return JSON.parse(testCase.text);
}
