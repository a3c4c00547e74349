import { canonicalJson } from "@reprise/contracts";
import { compileSchema } from "@reprise/runtime";
import { getAt, isJson, type Json } from "@reprise/state";
import type { CheckKind, EvalLimits, Expectations, OutputExpectation, StateExpectation } from "../case/expectations.ts";
import { asWarning, type CheckResult, failed, passed } from "./check-result.ts";
import { findCallProblem, findSetProblem } from "./match-calls.ts";
import type { ObservedCall, ObservedRun } from "./observe-run.ts";

/** Holds a run against what is expected of it, without a model. `isLive`: its models and tools took real time. */
export function checkRun(expect: Expectations, run: ObservedRun, isLive: boolean): readonly CheckResult[] {
  const warned = new Set<CheckKind>(expect.warn_only);
  const kinds: Readonly<Record<CheckKind, () => readonly CheckResult[]>> = {
    tools: () => checkTools(expect, run),
    approvals: () => checkApprovals(expect, run),
    state: () => (expect.state ?? []).map((each) => checkState(each, run.state)),
    output: () => (expect.output === undefined ? [] : checkOutput(expect.output, run)),
    ended: () => checkEnd(expect, run),
    // Asked apart: judges take time, and may not be asked at all.
    judges: () => [],
    limits: () => (expect.limits === undefined ? [] : checkLimits(expect.limits, run, isLive)),
  };
  return Object.entries(kinds).flatMap(([kind, check]) => {
    const results = check();
    // Its keys are kinds.
    return warned.has(kind as CheckKind) ? results.map(asWarning) : results;
  });
}

function checkTools({ tools }: Expectations, { calls }: ObservedRun): readonly CheckResult[] {
  if (tools === undefined) return [];
  const problem = findCallProblem(tools.match, tools.calls, calls);
  if (problem === undefined) return [passed("tools")];
  return [failed("tools", `${problem}.`, { expected: plain(tools.calls), actual: plain(calls.map(withoutId)) })];
}

function checkApprovals({ approvals: expected }: Expectations, { approvals }: ObservedRun): readonly CheckResult[] {
  if (expected === undefined) return [];
  const problem = findSetProblem(expected, approvals);
  if (problem === undefined) return [passed("approvals")];
  return [failed("approvals", `${problem}.`, { expected: plain(expected), actual: plain(approvals) })];
}

function checkState({ path, equals, exists, matches }: StateExpectation, state: Json): CheckResult {
  const name = `state ${path}`;
  const found = getAt(state, readPath(path, state));
  const actual = found ?? null;
  if (exists === false) return found === undefined ? passed(name) : failed(name, `${path} must not exist.`, { actual });
  if (found === undefined) return failed(name, `${path} does not exist.`);
  if (equals !== undefined && canonicalJson(equals) !== canonicalJson(found))
    return failed(name, `${path} has another value.`, { expected: equals, actual });
  if (matches === undefined) return passed(name);
  const isFit = typeof found === "string" && new RegExp(matches, "u").test(found);
  return isFit ? passed(name) : failed(name, `${path} does not match ${matches}.`, { expected: matches, actual });
}

/** A number is an index where a list stands. */
function readPath(path: string, state: Json): readonly (string | number)[] {
  const parts: (string | number)[] = [];
  for (const part of path.split(".")) {
    const isIndex = /^\d+$/.test(part) && Array.isArray(getAt(state, parts));
    parts.push(isIndex ? Number(part) : part);
  }
  return parts;
}

function checkOutput(
  { equals, contains = [], excludes = [], schema }: OutputExpectation,
  { text, output }: ObservedRun,
): readonly CheckResult[] {
  const actual = output ?? text;
  const said = output === undefined ? text : `${text}\n${JSON.stringify(output)}`;
  const results: CheckResult[] = [];
  if (equals !== undefined) {
    const isEqual = canonicalJson(equals) === canonicalJson(actual);
    const found = { expected: equals, actual };
    results.push(isEqual ? passed("output equals") : failed("output equals", "The output is another one.", found));
  }
  for (const part of contains) {
    const name = `output contains ${JSON.stringify(part)}`;
    results.push(said.includes(part) ? passed(name) : failed(name, "The output does not contain it.", { actual }));
  }
  for (const part of excludes) {
    const name = `output excludes ${JSON.stringify(part)}`;
    results.push(said.includes(part) ? failed(name, "The output contains it.", { actual }) : passed(name));
  }
  if (schema !== undefined) {
    const value = output ?? parseOrText(text);
    const problem = compileSchema(schema)(value);
    results.push(problem === undefined ? passed("output schema") : failed("output schema", problem, { actual: value }));
  }
  return results;
}

function parseOrText(text: string): Json {
  try {
    const value: unknown = JSON.parse(text);
    return isJson(value) ? value : text;
  } catch {
    return text;
  }
}

function checkEnd({ ended }: Expectations, { ended: actual }: ObservedRun): readonly CheckResult[] {
  if (ended === undefined) return [];
  if (ended === actual) return [passed("ended")];
  return [failed("ended", `The run must end as ${ended} (got ${actual}).`, { expected: ended, actual })];
}

function checkLimits(limits: EvalLimits, run: ObservedRun, isLive: boolean): readonly CheckResult[] {
  const measured: Readonly<Record<keyof EvalLimits, number | undefined>> = {
    cost_microcents: run.cost_microcents,
    tokens: run.input_tokens + run.output_tokens,
    steps: run.steps,
    tool_calls: run.calls.length,
    latency_ms: isLive ? run.latency_ms : undefined,
  };
  return Object.entries(limits).flatMap(([key, limit]): readonly CheckResult[] => {
    // The keys of one are the keys of the other.
    const actual = measured[key as keyof EvalLimits];
    if (actual === undefined) return [];
    const name = `limits ${key}`;
    if (key === "cost_microcents" && !run.is_priced && actual <= Number(limit))
      return [failed(name, `${key} must be at most ${limit}, and ${unknownCost(run)}.`, { expected: limit, actual })];
    if (actual <= Number(limit)) return [passed(name)];
    return [failed(name, `${key} must be at most ${limit} (got ${actual}).`, { expected: limit, actual })];
  });
}

/** What is known of a cost is the least that it was, so it cannot show that a limit was kept. */
function unknownCost({ cost_microcents, models }: ObservedRun): string {
  const asked = models.length === 0 ? "" : ` (${models.join(", ")})`;
  return `only ${cost_microcents} of the cost is known: a model${asked} has no price, or an answer failed at an unknown cost`;
}

/** Calls are made of JSON, which their interfaces hide. */
function plain(value: readonly object[]): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}

/** As calls are expected: ids differ from run to run. */
function withoutId({ id: _id, ...call }: ObservedCall): Omit<ObservedCall, "id"> {
  return call;
}
