import { changeState, emitEffect, PHASES, scheduleAction } from "@reprise/contracts";
import { describe, expect, it } from "vitest";
import { hookPlugin } from "./support/hook-plugin.ts";
import { changesOf, playPlugins } from "./support/play-plugins.ts";
import { callTally, tally } from "./support/tally.ts";

describe("a hook's answer that is no list of actions", () => {
  it.each([
    ["an action without a list", changeState(tally.add("x"))],
    ["a text", "stop"],
    ["a number", 5],
    ["true", true],
    ["a list with nothing in it", [undefined]],
    ["a list with null", [null]],
    ["an unknown type", [{ type: "explode" }]],
    ["a type of an object's own", [{ type: "constructor" }]],
    ["a promise of an action without a list", Promise.resolve(changeState(tally.add("x")))],
  ])("fails the run and names the plugin: %s", async (_, answer) => {
    const { outcome, failure, changesets } = await playPlugins([
      hookPlugin("p", "step_start", () => answer, { states: [tally] }),
    ]);
    expect(outcome.status).toBe("failed");
    expect(failure).toMatchObject({ code: "INVALID_ACTION", message: expect.stringContaining("Plugin p") });
    expect(failure?.message).toContain("step_start");
    expect(changesOf(changesets, "p").patches).toEqual([]);
  });

  it.each([[undefined], [null], [[]], [Promise.resolve(undefined)]])("may be nothing: %j", async (answer) => {
    const plugins = PHASES.map((phase) => hookPlugin(phase, phase, () => answer));
    expect((await playPlugins(plugins)).outcome).toMatchObject({ status: "done", text: "ok" });
  });

  it("may be a promise that is not one of the language's own", async () => {
    // biome-ignore lint/suspicious/noThenProperty: a promise of another library is what this is about.
    const answer = { then: (resolve: (value: unknown) => void) => resolve([changeState(tally.add("x"))]) };
    const { outcome, state } = await playPlugins([hookPlugin("p", "run_start", () => answer, { states: [tally] })]);
    expect(outcome.status).toBe("done");
    expect(tally.read(state)).toEqual(["x"]);
  });
});

describe("an event that a plugin may not emit", () => {
  const activity = { message_id: "m", activity_type: "t", content: 1 };
  it.each([
    ["a type of the runtime's own", { type: "run_finish", data: {} }, "the type must be one of activity_snapshot"],
    ["no event", undefined, "the type must be one of"],
    ["no data", { type: "activity_snapshot" }, "data is an object"],
    [
      "a field of another type",
      { type: "activity_snapshot", data: { ...activity, message_id: 1 } },
      "message_id is string",
    ],
    ["no JSON", { type: "activity_snapshot", data: { ...activity, content: new Date() } }, "data is not JSON"],
  ])("fails the run before anything of the phase is done: %s", async (_, event, problem) => {
    const answer = [changeState(tally.add("x")), { type: "emit", event }];
    const { failure, changesets } = await playPlugins([
      hookPlugin("p", "step_start", () => answer, { states: [tally] }),
    ]);
    expect(failure).toMatchObject({ code: "INVALID_ACTION", message: expect.stringContaining(problem) });
    expect(changesOf(changesets, "p").patches).toEqual([]);
  });
});

describe("an action that names what is not there", () => {
  it.each([
    ["a scheduled action", scheduleAction("elsewhere")],
    ["an effect", emitEffect("elsewhere")],
  ])("fails the run before anything of the phase is done: %s", async (what, action) => {
    const told: unknown[] = [];
    const effects = { own: (payload: unknown) => void told.push(payload) };
    const scheduled = { own: { phase: "run_end", handle: () => [] } } as const;
    const other = hookPlugin("other", "run_end", () => [], {
      effects: { elsewhere: () => undefined },
      scheduled: { elsewhere: { phase: "run_end", handle: () => [] } },
    });
    const answer = [changeState(tally.add("x")), emitEffect("own"), action];
    const plugin = hookPlugin("p", "step_start", () => answer, { states: [tally], effects, scheduled });
    const { failure, changesets } = await playPlugins([other, plugin]);
    expect(failure?.code).toBe("INVALID_ACTION");
    expect(failure?.message).toBe(`Plugin p has no ${what.replace(/^an? /, "")} "elsewhere". It has: own.`);
    expect(changesOf(changesets, "p").patches).toEqual([]);
    expect(told).toEqual([]);
  });

  it("a state that no plugin declares", async () => {
    const { failure } = await playPlugins([hookPlugin("p", "step_start", () => [changeState(tally.add("x"))])]);
    expect(failure).toMatchObject({ code: "INVALID_ACTION", message: expect.stringContaining('"tally"') });
  });

  it("a state that no plugin declares, by an action that was written by hand", async () => {
    const action = { state: "nowhere", type: "add", input: "x" };
    const { failure } = await playPlugins([hookPlugin("p", "step_start", () => [{ type: "state", action }])]);
    expect(failure).toMatchObject({ code: "INVALID_ACTION", message: expect.stringContaining('"nowhere"') });
  });

  it("no state at all", async () => {
    const { failure } = await playPlugins([hookPlugin("p", "step_start", () => [{ type: "state" }])]);
    expect(failure).toMatchObject({ code: "INVALID_ACTION", message: expect.stringContaining("Plugin p") });
  });

  it("a call's state without a call", async () => {
    const plugin = hookPlugin("p", "step_start", () => [changeState(callTally.add("x"))], { states: [callTally] });
    const { outcome, failure } = await playPlugins([plugin]);
    expect(outcome.status).toBe("failed");
    expect(failure).toMatchObject({ code: "INVALID_ACTION", message: expect.stringContaining("Plugin p") });
  });
});
