import type { StopCondition } from "@reprise/contracts";
import { describe, expect, it } from "vitest";
import { assertConsistent } from "../support/assert-consistent.ts";
import { openRuntime } from "../support/open-runtime.ts";
import { collect } from "../support/wait.ts";
import { call, endless, makeTools, playStop, request } from "./support.ts";

const used = (promptTokens: number, completionTokens: number) => ({ usage: { promptTokens, completionTokens } });

describe("max_rounds", () => {
  it.each([1, 2, 5])("stops after exactly %i steps, with the last round executed", async (rounds) => {
    const { stopped, record, model, executed, tenant } = await playStop([{ type: "max_rounds", rounds }]);
    expect(stopped).toEqual({ code: "max_rounds_reached", detail: `${rounds} rounds` });
    expect(record).toMatchObject({
      termination_code: "stopped:max_rounds_reached",
      termination_detail: `${rounds} rounds`,
    });
    expect([record.steps, model.requests.length, executed.length]).toEqual([rounds, rounds, rounds]);
    await assertConsistent(tenant, "t1");
  });

  it("comes from the agent's own maxRounds when no condition says it", async () => {
    const { stopped, record } = await playStop([], endless, { agent: { maxRounds: 3 } });
    expect([stopped?.code, record.steps]).toEqual(["max_rounds_reached", 3]);
  });

  it.each([
    [2, 5],
    [5, 2],
  ])("is what the condition says (%i) and not the agent's own %i as well", async (rounds, maxRounds) => {
    const { record } = await playStop([{ type: "max_rounds", rounds }], endless, { agent: { maxRounds } });
    expect(record.steps).toBe(rounds);
  });

  it("is there beside other conditions", async () => {
    const { stopped, record } = await playStop([{ type: "token_budget", maxTotal: 0 }], endless, {
      agent: { maxRounds: 4 },
    });
    expect([stopped?.code, record.steps]).toEqual(["max_rounds_reached", 4]);
  });

  it("is ten unless given", async () => {
    const { runtime } = await openRuntime({ script: endless, tools: makeTools().tools });
    expect(await runtime.runToCompletion(request)).toMatchObject({ run: { steps: 10 } });
  });
});

describe("token_budget", () => {
  const spending = (prompt: number, completion: number) => (_: unknown, turn: number) => [
    call(turn % 2 === 1 ? "a" : "b"),
    used(prompt, completion),
  ];

  it.each([
    [20, 2, "20 of 20 tokens"],
    [21, 3, "30 of 21 tokens"],
    [19, 2, "20 of 19 tokens"],
    [1, 1, "10 of 1 tokens"],
  ])("of %i stops after %i steps of ten tokens", async (maxTotal, steps, detail) => {
    const { stopped, record } = await playStop([{ type: "token_budget", maxTotal }], spending(7, 3));
    expect(stopped).toEqual({ code: "token_budget_exceeded", detail });
    expect(record).toMatchObject({ steps, input_tokens: steps * 7, output_tokens: steps * 3 });
  });

  it("is off when it is zero", async () => {
    const { stopped } = await playStop([{ type: "token_budget", maxTotal: 0 }], spending(7, 3));
    expect(stopped?.code).toBe("max_rounds_reached");
  });
});

describe("consecutive_errors", () => {
  const sequence = (...rounds: readonly (readonly string[])[]) => [...rounds.map((ids) => ids.map(call)), "done"];

  it.each([
    [1, [["fail"]], 1],
    [2, [["fail"], ["fail"]], 2],
    [2, [["fail"], ["a"], ["fail"], ["fail"]], 4],
    [
      2,
      [
        ["fail", "fail"],
        ["fail", "fail"],
      ],
      2,
    ],
  ])("of %i stops after %j", async (max, rounds, steps) => {
    const { stopped, record } = await playStop(
      [{ type: "consecutive_errors", max }],
      sequence(...rounds, ["a"], ["b"]),
    );
    expect(stopped).toEqual({ code: "consecutive_errors_exceeded", detail: `${max} failed rounds in a row` });
    expect(record.steps).toBe(steps);
  });

  it.each([
    [3, [["fail"], ["fail"], ["a"], ["fail"], ["fail"]]],
    [
      1,
      [
        ["fail", "a"],
        ["a", "fail"],
      ],
    ],
    [0, [["fail"], ["fail"], ["fail"]]],
  ])("of %i lets %j pass", async (max, rounds) => {
    const { outcome } = await playStop([{ type: "consecutive_errors", max }], sequence(...rounds));
    expect(outcome).toMatchObject({ status: "done", text: "done", termination: { type: "natural_end" } });
  });
});

describe("stop_on_tool", () => {
  const condition = { type: "stop_on_tool", toolName: "b" } as const;

  it("stops after the tool was executed, with its result in the thread", async () => {
    const { stopped, executed, model, runtime } = await playStop([condition]);
    expect(stopped).toEqual({ code: "tool_called", detail: "b" });
    expect(executed).toEqual(["a", "b"]);
    expect(model.requests).toHaveLength(2);
    const { messages } = await runtime.threads.messages("t1");
    expect(messages.at(-1)).toMatchObject({ role: "tool", content: "ok" });
  });

  it("executes the others of the round too", async () => {
    const { executed, stopped } = await playStop([condition], [[call("b"), call("a")], "never"]);
    expect([executed, stopped?.code]).toEqual([["b", "a"], "tool_called"]);
  });

  it("stops also when the tool failed, or is not there", async () => {
    for (const toolName of ["fail", "nowhere"]) {
      const { stopped } = await playStop([{ type: "stop_on_tool", toolName }], [[call(toolName)], "never"]);
      expect(stopped).toEqual({ code: "tool_called", detail: toolName });
    }
  });
});

describe("content_match", () => {
  const when = (pattern: string): StopCondition => ({ type: "content_match", pattern });

  it("stops when the text holds the pattern, literally, after the round of the step", async () => {
    const script = [[{ text: "a.c" }, call("a")], [{ text: "this is a*c." }, call("b")], "never"];
    const { stopped, executed } = await playStop([when("a*c.")], script);
    expect(stopped).toEqual({ code: "content_matched", detail: "a*c." });
    expect(executed).toEqual(["a", "b"]);
  });

  it("is another word for a natural end", async () => {
    const { outcome, stopped } = await playStop([when("DONE")], ["all DONE here"]);
    expect(stopped).toEqual({ code: "content_matched", detail: "DONE" });
    expect(outcome).toMatchObject({ status: "done", text: "all DONE here" });
  });

  it("never matches with an empty pattern", async () => {
    expect((await playStop([when("")], ["text"])).outcome).toMatchObject({ termination: { type: "natural_end" } });
  });

  it("matches text that comes in pieces, and neither what was thought nor what was called", async () => {
    expect((await playStop([when("done")], [[{ text: ["do", "ne"] }]])).stopped?.code).toBe("content_matched");
    const { stopped } = await playStop([when("secret")], [[{ reasoning: "secret" }, call("a")], "ok"]);
    expect(stopped).toBeUndefined();
  });
});

describe("loop_detection", () => {
  const rounds = (...names: readonly (readonly string[])[]) => [...names.map((ids) => ids.map(call)), "done"];

  it.each([
    ["two equal rounds", 4, [["a"], ["a"]], "a", 2],
    ["two equal rounds later", 4, [["a"], ["b"], ["b"]], "b", 3],
    [
      "rounds of several tools",
      4,
      [
        ["a", "b"],
        ["a", "b"],
      ],
      "a, b",
      2,
    ],
    ["a window that is too small", 0, [["a"], ["a"]], "a", 2],
    ["a window of one", 1, [["a"], ["a"]], "a", 2],
  ])("stops at %s", async (_, window, script, detail, steps) => {
    const { stopped, record } = await playStop([{ type: "loop_detection", window }], rounds(...script, ["a"], ["b"]));
    expect(stopped).toEqual({ code: "loop_detected", detail });
    expect(record.steps).toBe(steps);
  });

  it.each([
    ["rounds that take turns", [["a"], ["b"], ["a"], ["b"]]],
    [
      "the same tools in another order",
      [
        ["a", "b"],
        ["b", "a"],
      ],
    ],
    ["a round with one tool more", [["a"], ["a", "b"]]],
  ])("lets %s pass", async (_, script) => {
    const { outcome } = await playStop([{ type: "loop_detection", window: 4 }], rounds(...script));
    expect(outcome).toMatchObject({ termination: { type: "natural_end" } });
  });
});

it("says the same in the record and in the last event", async () => {
  const { run, stopped, record } = await playStop([{ type: "stop_on_tool", toolName: "a" }]);
  const last = (await collect(run)).at(-1);
  expect(last).toMatchObject({ type: "run_finish", data: { termination: { type: "stopped", value: stopped } } });
  expect(record).toMatchObject({ status: "done", termination_code: "stopped:tool_called", termination_detail: "a" });
});
