import { changeState, PHASES, type PhaseContext, scheduleAction } from "@reprise/contracts";
import { definePlugin } from "@reprise/runtime";
import type { Json } from "@reprise/state";
import { expect, it } from "vitest";
import { soon } from "../support/wait.ts";
import { hookPlugin } from "./support/hook-plugin.ts";
import { changesOf, playPlugins } from "./support/play-plugins.ts";
import { tally } from "./support/tally.ts";

it.each(PHASES)("is done once, when the run next comes to %s, with the changes in the plugin's name", async (phase) => {
  const handled: unknown[] = [];
  const plugin = hookPlugin(
    "p",
    "run_start",
    () => [scheduleAction("later", { word: "x" }), scheduleAction("later", 2)],
    {
      states: [tally],
      scheduled: {
        later: {
          phase: phase as "step_start",
          handle: (payload: Json, context: PhaseContext) => {
            handled.push([payload, context.phase]);
            return [changeState(tally.add("handled"))];
          },
        },
      },
    },
  );
  // The phase in which it is scheduled is over: a run without a second activation does not come to it again.
  const times = phase === "run_start" ? 0 : 1;
  const { state, changesets } = await playPlugins([plugin]);
  const all = [
    [{ word: "x" }, phase],
    [2, phase],
  ];
  expect(handled).toEqual(times === 0 ? [] : all);
  expect(tally.read(state)).toEqual(times === 0 ? [] : ["handled", "handled"]);
  expect(changesOf(changesets, "p").actions).toHaveLength(2 * times);
  expect(JSON.stringify(state)).not.toContain(times === 0 ? "nothing of the kind" : '"later"');
});

it("leaves no effect in a phase in which nothing is due and no hook is asked", async () => {
  const plugin = definePlugin({
    id: "p",
    hooks: { stepStart: ({ step }) => (step === 1 ? [scheduleAction("at_end")] : undefined) },
    scheduled: { at_end: { phase: "step_end", handle: () => undefined } },
  });
  const { changesets } = await playPlugins([plugin]);
  const phases = changesets.flatMap(({ effects = [] }) =>
    effects.flatMap(({ kind, of }) => (kind === "phase" ? [of.replace(/^.*-(s\d)/, "$1")] : [])),
  );
  expect(phases).toEqual(["s1-step_start", "s1-step_end", "s2-step_start"]);
});

it("waits for its own phase, past others", async () => {
  const order: string[] = [];
  const plugin = definePlugin({
    id: "p",
    hooks: {
      runStart: () => [scheduleAction("at_end")],
      stepStart: () => void order.push("step_start") as undefined,
      stepEnd: () => void order.push("hook of step_end") as undefined,
    },
    scheduled: { at_end: { phase: "step_end", handle: () => void order.push("scheduled") as undefined } },
  });
  await playPlugins([plugin], { script: ["ok"] });
  expect(order).toEqual(["step_start", "hook of step_end", "scheduled"]);
});

it("may schedule itself again: once for each time its phase comes", async () => {
  const handled: number[] = [];
  const plugin = definePlugin({
    id: "p",
    hooks: { runStart: () => [scheduleAction("tick", 1)] },
    scheduled: {
      tick: {
        phase: "step_start",
        handle: (count) => {
          handled.push(Number(count));
          return [scheduleAction("tick", Number(count) + 1)];
        },
      },
    },
  });
  await playPlugins([plugin], { script: [[{ call: "add", arguments: { title: "x" } }], "ok"] });
  expect(handled).toEqual([1, 2]);
});

it("fails the run when its handler fails, and is not consumed", async () => {
  const plugin = definePlugin({
    id: "p",
    hooks: { runStart: () => [scheduleAction("later")] },
    scheduled: {
      later: {
        phase: "before_tool_execute",
        handle: () => {
          throw new Error("boom");
        },
      },
    },
  });
  const { failure, keys } = await playPlugins([plugin]);
  expect(failure).toEqual({ code: "PLUGIN_FAILED", message: "Plugin p failed in before_tool_execute: boom" });
  expect(keys).toEqual([]);
});

it("may only ask for what its phase takes", async () => {
  const plugin = hookPlugin("p", "run_start", () => [scheduleAction("later")], {
    scheduled: { later: { phase: "step_start", handle: () => [{ type: "block", reason: "no" }] as never } },
  });
  expect((await playPlugins([plugin])).failure).toMatchObject({
    code: "INVALID_ACTION",
    message: expect.stringContaining("Plugin p returned"),
  });
});

it("ends with its run: the next one begins with nothing scheduled", async () => {
  const handled: unknown[] = [];
  const plugin = definePlugin({
    id: "p",
    hooks: { runEnd: ({ step }) => (step === 1 ? [scheduleAction("never")] : []) },
    scheduled: { never: { phase: "run_start", handle: (payload) => void handled.push(payload) as undefined } },
  });
  const { runtime } = await playPlugins([plugin], { script: ["one", "two"] });
  await soon(runtime.runToCompletion({ agent: "agent", threadId: "t1", input: "again" }));
  expect(handled).toEqual([]);
});
