import { expect, it } from "vitest";
import { checkRun } from "./check-run.ts";
import type { ObservedRun } from "./observe-run.ts";

const run: ObservedRun = {
  ended: "natural",
  text: "Done.",
  calls: [{ id: "c1", tool: "find", arguments: {}, outcome: "succeeded" }],
  results: {},
  approvals: [],
  state: {},
  steps: 2,
  input_tokens: 90,
  output_tokens: 10,
  cost_microcents: 500,
  is_priced: true,
  latency_ms: 40,
  models: ["small"],
};
const limit = (limits: object, over: Partial<ObservedRun> = {}, isLive = true) =>
  checkRun({ limits }, { ...run, ...over }, isLive).map(
    ({ name, verdict, message }) => `${name} ${verdict} ${message}`,
  );

it.each([
  ["cost_microcents", 500],
  ["tokens", 100],
  ["steps", 2],
  ["tool_calls", 1],
  ["latency_ms", 40],
])("allows %s up to its limit of %i and fails above it", (key, value) => {
  expect(limit({ [key]: value })).toEqual([`limits ${key} passed `]);
  expect(limit({ [key]: value - 1 })).toEqual([
    `limits ${key} failed ${key} must be at most ${value - 1} (got ${value}).`,
  ]);
});

it("does not limit the time of answers from a recording", () => {
  expect(limit({ latency_ms: 1 }, {}, false)).toEqual([]);
});

it("fails a limit of cost when a part of the cost is not known, and keeps the other limits", () => {
  const unpriced = { is_priced: false, cost_microcents: 120, models: ["small", "local/llama"] };
  expect(limit({ cost_microcents: 500, tokens: 100 }, unpriced)).toEqual([
    "limits cost_microcents failed cost_microcents must be at most 500, and only 120 of the cost is known: a model (small, local/llama) has no price, or an answer failed at an unknown cost.",
    "limits tokens passed ",
  ]);
  expect(limit({ cost_microcents: 100 }, unpriced)).toEqual([
    "limits cost_microcents failed cost_microcents must be at most 100 (got 120).",
  ]);
  const [warned] = checkRun({ limits: { cost_microcents: 500 }, warn_only: ["limits"] }, { ...run, ...unpriced }, true);
  expect(warned?.verdict).toBe("warned");
});
