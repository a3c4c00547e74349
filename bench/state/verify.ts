import { isDeepStrictEqual } from "node:util";
import type { Case } from "./cases.ts";
import { type BoundContestant, type Contestant, straight } from "./contestant.ts";
import type { Json } from "./json.ts";
import { mutate } from "./mutate.ts";

const FIRST_STEPS = 4;
const PATIENCE_MS = 200;

/**
 * Throws unless a contestant gives the expected documents, leaves its input, its log and its earlier results alone.
 * Runs for everybody and every case before the first sample, which also shows each contestant all the shapes it meets.
 */
export function verify(contestant: Contestant, testCase: Case): void {
  const bound = contestant.bind(testCase.changes);
  const log = bound.describeLog();
  const fail = (what: string): never => {
    throw new Error(`${contestant.name} is wrong in "${testCase.title}": ${what}.`);
  };

  const document: Json = JSON.parse(testCase.text);
  const startedAt = performance.now();
  const early = chain(bound, document, FIRST_STEPS);
  const stepMs = (performance.now() - startedAt) / FIRST_STEPS;
  if (!isDeepStrictEqual(early, expected(testCase, FIRST_STEPS))) fail(`other result after ${FIRST_STEPS} changes`);
  const earlyText = JSON.stringify(early);

  const again: Json = contestant.immutable ? document : JSON.parse(testCase.text);
  const affordable = Math.max(FIRST_STEPS, Math.ceil(PATIENCE_MS / stepMs));
  const steps = Math.min(testCase.chainLength, affordable);
  if (!isDeepStrictEqual(chain(bound, again, steps), expected(testCase, steps))) {
    fail(`other result after ${steps} changes`);
  }

  if (testCase.kind === "replay" && bound.applyAll !== undefined) {
    const fresh: Json = JSON.parse(testCase.text);
    const result = bound.applyAll(fresh);
    if (!isDeepStrictEqual(result, expected(testCase, testCase.changes.length))) fail("other result as one step");
    if (contestant.immutable && JSON.stringify(fresh) !== testCase.text) fail("the input changed in one step");
  }

  if (!contestant.immutable) return;
  if (JSON.stringify(document) !== testCase.text) fail("the input changed");
  if (JSON.stringify(early) !== earlyText) fail("an earlier result changed");
  if (bound.describeLog() !== log) fail("the log changed");
}

function chain(bound: BoundContestant, document: Json, steps: number): Json {
  return bound.applyOneByOne(document, straight(0, steps));
}

function expected(testCase: Case, steps: number): Json {
  const document: Json = JSON.parse(testCase.text);
  for (const change of testCase.changes.slice(0, steps)) mutate(document, change);
  return document;
}
