import { expect, it } from "vitest";
import { nameOf, problemsOf, sayTotals } from "./describe-experiment.ts";

const counts = { model_calls: 0, tool_calls: 0, recorded_answers: 1, recorded_results: 0 };
const trial = (
  ...checks: readonly { readonly message: string; readonly expected?: unknown; readonly actual?: unknown }[]
) => ({
  verdict: "failed" as const,
  checks: checks.map((check) => ({
    name: "output",
    verdict: check.message === "" ? ("passed" as const) : ("failed" as const),
    ...check,
  })),
  notes: [],
  counts,
});

it("says a problem once, however many trials had it, with the values of the first", () => {
  const wrong = { message: "The output is another one.", expected: "a", actual: "b" };
  const trials = [trial(wrong, { message: "" }), trial({ ...wrong, actual: "c" }), trial({ message: "Too long." })];
  const worse = { baseline: 1, actual: 3, verdict: "warned" as const };
  const regressions = [
    { ...worse, metric: "tool_calls" },
    { ...worse, metric: "cost_microcents", unpriced: "actual" as const },
  ];
  expect(problemsOf({ trials, regressions })).toEqual([
    {
      name: "output",
      verdict: "failed",
      message: "The output is another one.",
      trials: 2,
      values: { expected: "a", actual: "b" },
    },
    { name: "output", verdict: "failed", message: "Too long.", trials: 1 },
    { name: "baseline tool calls", verdict: "warned", message: "1 before, 3 now", trials: 1 },
    {
      name: "baseline cost microcents",
      verdict: "warned",
      message: "1 before, 3 now; the cost is not wholly known",
      trials: 1,
    },
  ]);
});

it("names experiments and their totals in words", () => {
  expect(nameOf({ id: "01a1f1ff-12345678" })).toBe("Experiment 12345678");
  expect(nameOf({ id: "x", name: "Nightly" })).toBe("Nightly");
  expect(sayTotals({ passed: 3, warned: 0, failed: 1 })).toBe("1 failed, 3 passed");
  expect(sayTotals({ passed: 0, warned: 0, failed: 0 })).toBe("no cases");
});
