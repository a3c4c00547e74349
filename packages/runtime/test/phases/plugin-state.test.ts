import { changeState, PHASES } from "@reprise/contracts";
import { defineState, TOOL_CALL_SCOPE } from "@reprise/state";
import { expect, it } from "vitest";
import { soon } from "../support/wait.ts";
import { hookPlugin } from "./support/hook-plugin.ts";
import { changesOf, playPlugins } from "./support/play-plugins.ts";
import { callTally, runTally, tally } from "./support/tally.ts";

it.each(PHASES)("carries the plugin's id on the patch and on the logged action, in %s", async (phase) => {
  let isAsked = false;
  const once = () => {
    const actions = isAsked ? [] : [changeState(tally.add("x"))];
    isAsked = true;
    return actions;
  };
  const { changesets, state } = await playPlugins([hookPlugin("p", phase, once, { states: [tally] })]);
  const { patches, actions } = changesOf(changesets, "p");
  expect(tally.read(state)).toEqual(["x"]);
  expect(patches).toHaveLength(1);
  expect(actions).toEqual([{ source: "plugin:p", action: expect.objectContaining({ state: "tally" }) }]);
});

it("tells clients once it is committed, as JSON Patch", async () => {
  const hook = () => [changeState(tally.add("x")), changeState(tally.add("y"))];
  const { events } = await playPlugins([hookPlugin("p", "run_start", hook, { states: [tally] })], { script: ["ok"] });
  const deltas = events.flatMap((event) => (event.type === "state_delta" ? [event.data.delta] : []));
  expect(deltas[0]).toEqual([{ op: "add", path: "/tally", value: ["x"] }]);
  const folded = deltas.flat().filter(({ path }) => path.startsWith("/tally"));
  expect(folded.length).toBeGreaterThanOrEqual(2);
});

it("says nothing to clients of states that are the runtime's own", async () => {
  const hidden = defineState({
    path: "__hidden.tally",
    initial: (): string[] => [],
    actions: { add: (list, word: string) => [...list, word] },
  });
  const hook = () => [changeState(hidden.add("x"))];
  const { events, state } = await playPlugins([hookPlugin("p", "run_start", hook, { states: [hidden] })]);
  expect(hidden.read(state)).toEqual(["x"]);
  expect(JSON.stringify(events.filter(({ type }) => type === "state_delta"))).not.toContain("hidden");
});

it("keeps a thread's state for the next run, and deletes a run's", async () => {
  const seen: unknown[] = [];
  const plugin = hookPlugin(
    "p",
    "run_start",
    ({ state }) => {
      seen.push([state.get(tally), state.get(runTally)]);
      return [changeState(tally.add("t")), changeState(runTally.add("r"))];
    },
    { states: [tally, runTally] },
  );
  const { runtime, state } = await playPlugins([plugin], { script: ["one", "two"] });
  expect([tally.read(state), runTally.read(state)]).toEqual([["t"], ["r"]]);
  await soon(runtime.runToCompletion({ agent: "agent", threadId: "t1", input: "again" }));
  expect(seen).toEqual([
    [[], []],
    [["t"], []],
  ]);
  expect(await runtime.threads.state("t1")).toMatchObject({ tally: ["t", "t"], run_tally: ["r"] });
});

it("keeps a call's state with the call, and deletes it with the call", async () => {
  const seen: unknown[] = [];
  const before = hookPlugin(
    "before",
    "before_tool_execute",
    ({ call }) => [changeState(callTally.add(String(call.suspension)), call.callId)],
    { states: [callTally] },
  );
  const look = hookPlugin("look", "before_tool_execute", ({ state, call }) => {
    seen.push(state.get(callTally, call.callId));
  });
  const calls = ["a", "b"].map((title) => ({ call: "add", arguments: { title } }));
  const { state, changesets } = await playPlugins([before, look], { script: [calls, "ok"] });
  expect(seen).toEqual([[], []]);
  const actions = changesOf(changesets, "before").actions;
  expect(actions.map(({ call_id }) => call_id?.endsWith("-c0") || call_id?.endsWith("-c1"))).toEqual([true, true]);
  expect(new Set(actions.map(({ call_id }) => call_id)).size).toBe(2);
  expect(state).not.toHaveProperty(`${TOOL_CALL_SCOPE}.${actions[0]?.call_id}`);
});

it("fails the run and names the plugin when a reducer throws, and nothing of the phase is committed", async () => {
  const broken = defineState({
    path: "broken",
    initial: (): string[] => [],
    actions: {
      add: (): string[] => {
        throw new Error("boom");
      },
    },
  });
  const hook = () => [changeState(tally.add("x")), changeState(broken.add())];
  const { failure, changesets } = await playPlugins([hookPlugin("p", "step_start", hook, { states: [tally, broken] })]);
  expect(failure).toMatchObject({ code: "PLUGIN_FAILED", message: expect.stringContaining("Plugin p") });
  expect(changesOf(changesets, "p").patches).toEqual([]);
});
