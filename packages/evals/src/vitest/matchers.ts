import type { Json } from "@reprise/state";
import type { CallMatch, ExpectedCall } from "../case/expectations.ts";
import { findCallProblem, isExpected } from "../check/match-calls.ts";
import type { RunSummary } from "../evaluate/experiment.ts";
import { describeRegression } from "../report/describe-regression.ts";
import type { EvaluatedRun } from "./eval-run.ts";

/** What `expect(await evalRun(…))` can be asked, beside what Vitest knows. */
export interface EvalMatchers<Returned = unknown> {
  /** No check failed; with `strict`, none warned either. */
  toPassEval(options?: { readonly strict?: boolean }): Returned;
  /** The calls of the run: names of tools, or calls with arguments. `exact` unless another match is given. */
  toHaveCalled(calls: readonly (string | ExpectedCall)[], match?: CallMatch): Returned;
  /** A person was asked about a call of the tool, with these arguments if some are given. */
  toHaveAskedAbout(tool: string, given?: Json): Returned;
  /** How the run ended: `natural`, `stopped:max_rounds_reached`, `error`, `waiting`. */
  toHaveEnded(ended: string): Returned;
}

interface Matched {
  readonly pass: boolean;
  message(): string;
}

/** For `expect.extend`. Importing `reprise/evals/vitest` has extended it already. */
export const evalMatchers: {
  readonly toPassEval: (received: EvaluatedRun, options?: { readonly strict?: boolean }) => Matched;
  readonly toHaveCalled: (
    received: EvaluatedRun,
    calls: readonly (string | ExpectedCall)[],
    match?: CallMatch,
  ) => Matched;
  readonly toHaveAskedAbout: (received: EvaluatedRun, tool: string, given?: Json) => Matched;
  readonly toHaveEnded: (received: EvaluatedRun, ended: string) => Matched;
} = {
  toPassEval({ id, verdict, trials, regressions = [] }, { strict = false } = {}) {
    const checks = trials.flatMap((trial) => trial.checks).filter((check) => check.verdict !== "passed");
    const found = [
      ...checks.map((check) => `  ${check.verdict}: ${check.name}: ${check.message}`),
      ...regressions.map((regression) => `  ${describeRegression(regression)}`),
    ];
    return {
      pass: strict ? verdict === "passed" : verdict !== "failed",
      message: () => `Case ${id} ${verdict}${found.length === 0 ? "" : `:\n${found.join("\n")}`}`,
    };
  },

  toHaveCalled(received, calls, match = "exact") {
    const run = runOf(received);
    const expected = calls.map((call) => (typeof call === "string" ? { tool: call } : call));
    const problem = findCallProblem(match, expected, run.calls);
    return {
      pass: problem === undefined,
      message: () => `Case ${received.id}: ${problem ?? "the calls are as described"}.`,
    };
  },

  toHaveAskedAbout(received, tool, given) {
    const asked = runOf(received).approvals;
    const wanted = { tool, ...(given !== undefined && { arguments: given }) };
    const names = asked.map((each) => each.tool).join(", ") || "nothing";
    return {
      pass: asked.some((each) => isExpected(wanted, each)),
      message: () => `Case ${received.id}: a person was asked about ${names}; ${tool} is the question.`,
    };
  },

  toHaveEnded(received, ended) {
    const { ended: actual } = runOf(received);
    return {
      pass: actual === ended,
      message: () => `Case ${received.id}: the run ended as ${actual}; ${ended} is the question.`,
    };
  },
};

function runOf({ id, run, trials }: EvaluatedRun): RunSummary {
  if (run !== undefined) return run;
  throw new Error(`Case ${id} could not be played: ${trials.at(-1)?.error?.message ?? "it has no trial"}`);
}
