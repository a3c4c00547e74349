import type { Case } from "./cases.ts";
import { type Contestant, sameDocument } from "./contestant.ts";
import type { Json } from "./json.ts";
import type { Effort, Form } from "./measure.ts";
import { createReplaySamplers } from "./replay-samplers.ts";
import { keepResult } from "./timing.ts";

/** Takes one sample whenever it is asked to, always of the same number of changes. */
export interface Sampler {
  readonly contestant: string;
  readonly form: Form;
  /** Changes in one sample. */
  readonly changes: number;
  /** Nanoseconds per change. */
  sample(): number;
}

/** Runs of a sample before the first one counts: the optimising compiler wants its time. */
const WARM_UP_SAMPLES = 2;

/** Calibrates and warms up a contestant on a case; a replay is measured in two forms. */
export function createSamplers(contestant: Contestant, testCase: Case, effort: Effort): readonly Sampler[] {
  const samplers =
    testCase.kind === "operation"
      ? [createOperationSampler(contestant, testCase, effort)]
      : createReplaySamplers(contestant, testCase, effort);
  for (const sampler of samplers) {
    for (let run = 0; run < WARM_UP_SAMPLES; run++) sampler.sample();
  }
  return samplers;
}

function createOperationSampler(contestant: Contestant, testCase: Case, effort: Effort): Sampler {
  const bound = contestant.bind(testCase.changes);
  const document: Json = JSON.parse(testCase.text);
  const restart = contestant.immutable ? sameDocument : createUndoAppends(testCase);
  const run = (count: number): number => {
    const startedAt = performance.now();
    keepResult(bound.applyOneByOne(document, { from: 0, count, length: testCase.chainLength, restart }));
    const elapsedMs = performance.now() - startedAt;
    restart(document);
    return elapsedMs;
  };
  let count = 1;
  let elapsedMs = run(count);
  while (elapsedMs < effort.sampleMs / 2) {
    count *= 2;
    elapsedMs = run(count);
  }
  const changes = Math.max(1, Math.round((count * effort.sampleMs) / elapsedMs));
  return { contestant: contestant.name, form: "one by one", changes, sample: () => (run(changes) * 1e6) / changes };
}

/** Cuts the list back to the length it had, which is all that a chain on one and the same document piles up. */
function createUndoAppends(testCase: Case): (document: Json) => Json {
  const first = testCase.changes[0];
  if (first?.kind !== "append") return sameDocument;
  const key = first.path[0] as string;
  return (document) => {
    // Only the in-place floor comes here, with a document of its own.
    (document as Record<string, Json[]>)[key]?.splice(first.index);
    return document;
  };
}
