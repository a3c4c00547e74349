import { type Changeset, emitEvent, PHASES, type PhaseContext, scheduleAction } from "@reprise/contracts";
import { definePlugin } from "@reprise/runtime";
import { getAt } from "@reprise/state";
import { expect, it } from "vitest";
import { suspend } from "../support/suspend.ts";
import { settle, soon } from "../support/wait.ts";
import { hookPlugin } from "./support/hook-plugin.ts";
import { playPlugins } from "./support/play-plugins.ts";

/** What hooks recorded, from the effects that hold it. */
const recordingsOf = (changesets: readonly Changeset[]) =>
  changesets.flatMap(({ effects = [] }) => effects).flatMap(({ value = null }) => getAt(value, ["recorded"]) ?? []);

it.each(PHASES)("keeps what a hook of %s recorded with the commit of its phase", async (phase) => {
  let answer: unknown;
  let isAsked = false;
  const plugin = hookPlugin("p", phase, async (context) => {
    if (isAsked) return;
    isAsked = true;
    answer = await context.record("weather", async () => ({ rain: true }));
    await context.record("time", () => 7);
  });
  const { changesets } = await playPlugins([plugin]);
  expect(answer).toEqual({ rain: true });
  const place = expect.stringMatching(/\/p$/);
  expect(recordingsOf(changesets)).toEqual([
    { place, name: "weather", value: { rain: true } },
    { place, name: "time", value: 7 },
  ]);
});

it("keeps an event that a hook emits once, with its commit, and replays it", async () => {
  const text = "x".repeat(500);
  const plugin = hookPlugin("p", "step_start", () => [
    emitEvent("activity_snapshot", { message_id: "m", activity_type: "t", content: { text } }),
  ]);
  const { changesets, runtime, run } = await playPlugins([plugin], { script: ["ok"] });
  expect(JSON.stringify(changesets).split(text)).toHaveLength(2);
  expect(await soon(runtime.replay(run.id))).toMatchObject({ equal: true });
});

it("keeps a copy: what the hook does to the answer later changes nothing", async () => {
  const plugin = hookPlugin("p", "step_start", async (context: PhaseContext) => {
    const answer = await context.record("list", () => ["kept"]);
    answer.push("later");
  });
  const { changesets } = await playPlugins([plugin], { script: ["ok"] });
  expect(recordingsOf(changesets)).toMatchObject([{ value: ["kept"] }]);
});

it("refuses what is not JSON, and fails the run when the answer does not come", async () => {
  const date = hookPlugin("p", "step_start", (context) => context.record("now", () => new Date() as never));
  expect((await playPlugins([date])).failure).toMatchObject({ code: "INVALID_ACTION" });
  const broken = hookPlugin("p", "step_start", (context) =>
    context.record("x", () => Promise.reject(new Error("boom"))),
  );
  expect((await playPlugins([broken])).failure?.code).toBe("PLUGIN_FAILED");
});

it("tells recordings of different places apart", async () => {
  const hook = async (context: PhaseContext) => void (await context.record("n", () => 1));
  const one = hookPlugin("p", "step_start", hook, {
    scheduled: {
      again: { phase: "step_start", handle: async (_, context) => void (await hook(context)) as undefined },
    },
  });
  const scheduling = {
    ...one,
    hooks: { ...one.hooks, run_start: () => [scheduleAction("again"), scheduleAction("again")] },
  };
  const { changesets } = await playPlugins([scheduling]);
  const places = recordingsOf(changesets).map(
    (each) => `${String(getAt(each, ["place"]))} ${String(getAt(each, ["name"]))}`,
  );
  expect(places).toHaveLength(4);
  expect(new Set(places).size).toBe(4);
});

it("makes ids that follow from the run and are never made twice", async () => {
  const ids: string[] = [];
  const take = (context: PhaseContext): undefined => void ids.push(context.id(), context.id());
  const parts = {
    scheduled: { again: { phase: "step_start", handle: (_: unknown, context: PhaseContext) => take(context) } },
  } as const;
  const plugins = PHASES.map((phase) => hookPlugin(phase, phase, take));
  const scheduling = hookPlugin("s", "step_start", take, parts);
  const hooks = { ...scheduling.hooks, run_start: () => [scheduleAction("again"), scheduleAction("again")] };
  const { run } = await playPlugins([...plugins, { ...scheduling, hooks }]);
  expect(ids.length).toBeGreaterThan(20);
  expect(ids.every((id) => id.startsWith(run.id))).toBe(true);
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
});

it("makes other ids in every activation, also when no step lies between", async () => {
  const ids: string[] = [];
  const take = (context: PhaseContext): undefined => void ids.push(context.id());
  const plugin = definePlugin({
    id: "p",
    hooks: { runStart: take, runEnd: take },
    onActivate: take,
    onDeactivate: take,
  });
  const { runtime, open, run } = await suspend(["a", "b"], { agent: { plugins: [plugin] } });
  for (const { id } of open) {
    await settle();
    await runtime.decisions.decide(id, { action: "approve" });
    await soon(run.outcome());
  }
  await settle();
  expect(ids).toHaveLength(12);
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
});

it("keeps what is recorded while the plugin is activated", async () => {
  const plugin = definePlugin({
    id: "p",
    onActivate: async (context) => void (await context.record("token", () => "t")),
  });
  const { changesets } = await playPlugins([plugin]);
  expect(recordingsOf(changesets)).toMatchObject([{ name: "token", value: "t" }]);
});
