import { canonicalJson } from "@reprise/contracts";
import { isPlainObject } from "@reprise/contracts/shape";
import type { Json } from "@reprise/state";
import type { CallMatch, ExpectedCall } from "../case/expectations.ts";

/** A call as far as it is matched. */
export interface MatchedCall {
  readonly tool: string;
  readonly arguments: Json;
  readonly outcome?: string;
}

/** Why calls are not the expected ones; undefined when they are. */
export function findCallProblem(
  match: CallMatch,
  expected: readonly ExpectedCall[],
  actual: readonly MatchedCall[],
): string | undefined {
  switch (match) {
    case "exact":
      return findExactProblem(expected, actual);
    case "in_order":
      return findOrderProblem(expected, actual);
    case "any_order": {
      const missing = assign(expected, actual).unmatchedExpected[0];
      return missing === undefined ? undefined : `${sayCall(missing)} was not called`;
    }
    case "subset": {
      const extra = assign(expected, actual).unmatchedActual[0];
      return extra === undefined ? undefined : `${sayCall(extra)} was called and is not among the expected calls`;
    }
    default:
      return match satisfies never;
  }
}

/** These calls and no others, in any order. */
export function findSetProblem(expected: readonly ExpectedCall[], actual: readonly MatchedCall[]): string | undefined {
  const { unmatchedExpected, unmatchedActual } = assign(expected, actual);
  const [missing] = unmatchedExpected;
  const [extra] = unmatchedActual;
  if (missing !== undefined) return `nobody was asked about ${sayCall(missing)}`;
  return extra === undefined ? undefined : `a person was asked about ${sayCall(extra)}`;
}

/** Whether a call is as expected. Fields that the expectation leaves out count for nothing. */
export function isExpected(expected: ExpectedCall, actual: MatchedCall): boolean {
  if (expected.tool !== actual.tool) return false;
  if (expected.outcome !== undefined && expected.outcome !== actual.outcome) return false;
  return expected.arguments === undefined || isWithin(expected.arguments, actual.arguments);
}

function findExactProblem(expected: readonly ExpectedCall[], actual: readonly MatchedCall[]): string | undefined {
  for (const [index, call] of expected.entries()) {
    const found = actual[index];
    if (found === undefined) return `call ${index + 1} must be ${sayCall(call)}, and there are only ${actual.length}`;
    if (!isExpected(call, found)) return `call ${index + 1} must be ${sayEnd(call)} (got ${sayEnd(found)})`;
  }
  const extra = actual[expected.length];
  return extra === undefined ? undefined : `call ${expected.length + 1}, ${sayCall(extra)}, is one too many`;
}

function findOrderProblem(expected: readonly ExpectedCall[], actual: readonly MatchedCall[]): string | undefined {
  let from = 0;
  for (const call of expected) {
    const found = actual.findIndex((each, index) => index >= from && isExpected(call, each));
    if (found < 0) return `${sayCall(call)} was not called after the calls before it`;
    from = found + 1;
  }
  return undefined;
}

/** Gives expected calls actual ones, as many as can have one: a vague expectation must not take the only call of a narrow one. */
function assign(
  expected: readonly ExpectedCall[],
  actual: readonly MatchedCall[],
): { readonly unmatchedExpected: readonly ExpectedCall[]; readonly unmatchedActual: readonly MatchedCall[] } {
  /** By the index of an actual call, that of the expected one which has it. */
  const taken = new Map<number, number>();
  const find = (index: number, tried: Set<number>): boolean => {
    const call = expected[index];
    for (const [at, each] of actual.entries()) {
      if (call === undefined || tried.has(at) || !isExpected(call, each)) continue;
      tried.add(at);
      const owner = taken.get(at);
      if (owner !== undefined && !find(owner, tried)) continue;
      taken.set(at, index);
      return true;
    }
    return false;
  };
  const unmatchedExpected = expected.filter((_, index) => !find(index, new Set()));
  return { unmatchedExpected, unmatchedActual: actual.filter((_, at) => !taken.has(at)) };
}

function isWithin(expected: Json, actual: Json): boolean {
  if (isPlainObject(expected)) {
    if (!isPlainObject(actual)) return false;
    return Object.entries(expected).every(([key, value]) => {
      const found = actual[key];
      // Of JSON, whose values are JSON.
      return found !== undefined && isWithin(value as Json, found as Json);
    });
  }
  return canonicalJson(expected) === canonicalJson(actual);
}

const LONGEST_SHOWN = 120;

function sayCall({ tool, arguments: given }: Pick<ExpectedCall, "tool" | "arguments">): string {
  if (given === undefined) return tool;
  const text = JSON.stringify(given);
  return `${tool}(${text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text})`;
}

function sayEnd(call: Pick<ExpectedCall, "tool" | "arguments"> & { readonly outcome?: string }): string {
  return call.outcome === undefined ? sayCall(call) : `${sayCall(call)}, ${call.outcome}`;
}
