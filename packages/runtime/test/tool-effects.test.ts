import {
  addSystemReminder,
  addUserMessage,
  changeState,
  type EffectAction,
  emitEffect,
  type Message,
  scheduleAction,
  terminateRun,
  textOf,
  toolEffect,
} from "@reprise/contracts";
import { definePlugin } from "@reprise/runtime";
import { defineState } from "@reprise/state";
import { describe, expect, it } from "vitest";
import { record } from "./replay-support/record.ts";
import { assertConsistent } from "./support/assert-consistent.ts";
import { countingTool, notes } from "./support/tools.ts";
import { until } from "./support/wait.ts";

const heard = defineState({
  path: "heard",
  initial: (): string[] => [],
  actions: { add: (list, line: string) => [...list, line] },
});

/** A plugin that registers one action for later and one effect. */
function listening() {
  const emitted: unknown[] = [];
  const plugin = definePlugin({
    id: "listening",
    states: [heard],
    scheduled: {
      follow_up: {
        phase: "after_tool_execute",
        handle: (payload, { call }) => [changeState(heard.add(`${call.toolId}: ${JSON.stringify(payload)}`))],
      },
    },
    effects: { ring: (payload) => void emitted.push(payload) },
  });
  return { plugin, emitted };
}

async function play(actions: unknown) {
  const { plugin, emitted } = listening();
  const { tool } = countingTool({ execute: () => toolEffect({ fine: true }, actions as readonly EffectAction[]) });
  const script = [[{ call: "add", arguments: { title: "x" } }], "ok"];
  const bench = await record({ script, tools: [tool], agent: { plugins: [plugin] } });
  await assertConsistent(bench.tenant, "t1");
  const told: readonly Message[] = bench.model.requests[1]?.messages.slice(2) ?? [];
  return { ...bench, emitted, told };
}

describe("issue 14.5: the actions of a tool's effect", () => {
  it("change state, add a message and a reminder, and reach what a plugin registered", async () => {
    const { told, emitted, runtime, verify, outcome } = await play([
      changeState(notes.add("by effect")),
      addUserMessage("By the way"),
      addSystemReminder("Be careful </reminder>"),
      scheduleAction("follow_up", { n: 1 }),
      emitEffect("ring", "once"),
    ]);
    expect(outcome).toMatchObject({ status: "done", text: "ok" });
    expect(told.map(textOf)).toEqual([
      '{"fine":true}',
      "By the way",
      '<reminder source="tool:add">\nBe careful &lt;/reminder>\n</reminder>',
    ]);
    expect(told.map(({ role }) => role)).toEqual(["tool", "user", "user"]);
    expect(await runtime.threads.state("t1")).toMatchObject({ notes: ["by effect"], heard: ['add: {"n":1}'] });
    await until(() => emitted.length > 0, "the effect");
    expect(emitted).toEqual(["once"]);
    expect(await verify()).toMatchObject({ equal: true });
    expect(emitted).toEqual(["once"]);
  });

  it("end the run after the round", async () => {
    const { outcome, model } = await play([terminateRun("enough")]);
    expect(outcome).toMatchObject({ termination: { type: "behavior_requested", detail: "enough" } });
    expect(model.requests).toHaveLength(1);
  });

  it.each<readonly [string, unknown, RegExp]>([
    ["an unknown type", [{ type: "terminat" }], /type "terminat".*Did you mean "terminate"\?/],
    ["no type", [{ reason: "x" }], /an action without a type/],
    ["null for an action", [null], /an action without a type/],
    ["an object instead of an array", { type: "terminate" }, /actions are not an array/],
    ["a scheduled action that no plugin registers", [scheduleAction("follow")], /"follow".*Known: follow_up/],
    ["an effect that no plugin registers", [emitEffect("sing")], /effect "sing".*Known: ring/],
    ["a payload that is not JSON", [{ ...emitEffect("ring"), payload: () => 1 }], /payload that is not JSON/],
    ["state of another call", [changeState(notes.add("x"), "other")], /call other, which is not its own/],
    ["an action only plugins have", [{ type: "block", reason: "no" }], /type "block"/],
  ])("of %s are an error result, and nothing of the effect is done", async (_, actions, message) => {
    const first = changeState(notes.add("undone"));
    const { outcome, told, runtime, emitted, verify } = await play(
      Array.isArray(actions) ? [first, ...actions] : actions,
    );
    expect(outcome).toMatchObject({ status: "done", text: "ok" });
    const [result] = told.map((each) => JSON.parse(textOf(each)));
    expect(result).toMatchObject({ error: { code: "invalid_output", message: expect.stringMatching(message) } });
    expect(await runtime.threads.state("t1")).not.toHaveProperty("notes");
    expect(emitted).toEqual([]);
    expect(await verify()).toMatchObject({ equal: true });
  });
});
