import { defineAgent, hasToolCall, isStepCount } from "@reprise/runtime";
import { expect, it } from "vitest";
import { soon } from "../support/wait.ts";
import { call, playStop } from "./support.ts";

it("isStepCount stops after so many steps, also beyond the usual limit", async () => {
  expect((await playStop([isStepCount(2)])).stopped).toEqual({ code: "max_rounds_reached", detail: "2 rounds" });
  const { record } = await playStop([isStepCount(12)], undefined, { agent: { maxRounds: 3 } });
  expect(record.steps).toBe(12);
});

it("hasToolCall stops when the tool was called, after it was executed", async () => {
  const { stopped, executed } = await playStop([hasToolCall("b")]);
  expect(stopped).toEqual({ code: "tool_called", detail: "b" });
  expect(executed).toEqual(["a", "b"]);
});

it("a function stops a run that would continue, and is named in the reason", async () => {
  const twice = ({ step }: { readonly step: number }): boolean => step === 2;
  expect((await playStop([twice])).stopped).toEqual({ code: "condition_met", detail: "twice" });
  const { stopped } = await playStop([({ step }) => step === 2]);
  expect(stopped).toEqual({ code: "condition_met", detail: "stopWhen[0]" });
  const own = await playStop([({ tools }) => (tools.includes("b") ? { code: "saw_b" } : undefined)]);
  expect(own.stopped).toEqual({ code: "saw_b" });
});

it("a function is not asked about a run that ends by itself", async () => {
  const { outcome } = await playStop([() => true], ["done"]);
  expect(outcome).toMatchObject({ status: "done", termination: { type: "natural_end" } });
});

it("the answers of a function are recorded: a replay does not ask it", async () => {
  let asked = 0;
  const { runtime, run } = await playStop([
    ({ step }) => {
      asked += 1;
      return step === 2;
    },
  ]);
  expect(asked).toBe(2);
  expect((await soon(runtime.replay(run.id))).equal).toBe(true);
  expect(asked).toBe(2);
});

it("a function that throws fails the run and is named", async () => {
  const broken = (): boolean => {
    throw new Error("no");
  };
  const { outcome } = await playStop([broken], [[call("a")], "done"]);
  expect(outcome).toMatchObject({
    status: "failed",
    code: "PLUGIN_FAILED",
    error: expect.stringContaining("agent:stop_when_0"),
  });
});

it("two agents may have functions at the same position", () => {
  const stopWhen = () => true;
  const [one, two] = [
    defineAgent({ id: "one", model: "m", stopWhen }),
    defineAgent({ id: "two", model: "m", stopWhen }),
  ];
  expect([one, two].map(({ spec }) => spec.stop_condition_ids)).toEqual([["one:stop_when_0"], ["two:stop_when_0"]]);
});
