export type { EvalMatchers, EvalRunOptions, EvaluatedRun } from "@reprise/evals/vitest";
export { evalMatchers, evalRun } from "@reprise/evals/vitest";
