import type { StopConditionSpec, StopPolicyInput } from "@reprise/contracts";
import { stopPolicyOf } from "@reprise/runtime";
import { describe, expect, it } from "vitest";

const input = (change: Partial<StopPolicyInput>): StopPolicyInput => ({
  step: 1,
  elapsedMs: 0,
  inputTokens: 0,
  outputTokens: 0,
  text: "",
  tools: ["a"],
  recentTools: [["a"]],
  consecutiveErrors: 0,
  isFinal: false,
  state: {},
  ...change,
});

const ask = (spec: StopConditionSpec, change: Partial<StopPolicyInput>) => stopPolicyOf(spec).evaluate(input(change));

describe("loop_detection looks back as far as its window", () => {
  const recent_tools = [["a"], ["a"], ["b"], ["c"]];
  it.each([
    [2, undefined],
    [3, undefined],
    [4, "loop_detected"],
    [100, "loop_detected"],
    [-3, undefined],
  ])("window %i", (window, code) =>
    expect(ask({ type: "loop_detection", window }, { recentTools: recent_tools })?.code).toBe(code),
  );
});

describe("timeout is reached to the millisecond", () => {
  it.each([
    [29_999, undefined],
    [30_000, { code: "timeout_reached", detail: "30 seconds" }],
    [30_001, { code: "timeout_reached", detail: "30 seconds" }],
  ])("%i ms", (elapsed_ms, reason) =>
    expect(ask({ type: "timeout", seconds: 30 }, { elapsedMs: elapsed_ms })).toEqual(reason),
  );
});

describe("a run that is done anyway", () => {
  const everything: Partial<StopPolicyInput> = {
    step: 99,
    elapsedMs: 1e9,
    inputTokens: 1e9,
    consecutiveErrors: 99,
    text: "stop",
    recentTools: [["a"], ["a"]],
  };
  it.each([
    [{ type: "max_rounds", rounds: 1 }, undefined],
    [{ type: "timeout", seconds: 1 }, undefined],
    [{ type: "token_budget", max_total: 1 }, undefined],
    [{ type: "consecutive_errors", max: 1 }, undefined],
    [{ type: "stop_on_tool", tool_name: "a" }, undefined],
    [{ type: "loop_detection", window: 2 }, undefined],
    [{ type: "content_match", pattern: "stop" }, "content_matched"],
  ] satisfies [StopConditionSpec, string | undefined][])("%j", (spec, code) => {
    expect(ask(spec, { ...everything, isFinal: true })?.code).toBe(code);
    expect(ask(spec, everything)).toBeDefined();
  });
});
