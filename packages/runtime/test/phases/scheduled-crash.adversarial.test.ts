import { changeState, scheduleAction } from "@reprise/contracts";
import { definePlugin } from "@reprise/runtime";
import { expect, it } from "vitest";
import { assertConsistent } from "../support/assert-consistent.ts";
import { crashAtPoint } from "../support/crashing-env.ts";
import { createWorld } from "../support/open-runtime.ts";
import { ADD } from "../support/play-script.ts";
import { countingTool } from "../support/tools.ts";
import { settle } from "../support/wait.ts";
import { changesOf, openPlugins } from "./support/play-plugins.ts";
import { runTally, tally } from "./support/tally.ts";

/** Schedules one action in the first step, for the second; its handler leaves a trace in the state. */
const plugin = definePlugin({
  id: "p",
  states: [tally, runTally],
  hooks: { stepStart: ({ step }) => (step === 1 ? [scheduleAction("later"), changeState(runTally.add("s"))] : []) },
  scheduled: { later: { phase: "after_tool_execute", handle: () => [changeState(tally.add("done"))] } },
});

const script = (request: { readonly messages: readonly { readonly role: string }[] }) =>
  request.messages.some(({ role }) => role === "tool") ? "ok" : [ADD];

/** Every point such a run comes to. */
const POINTS = Array.from({ length: 8 }, (_, index) => index + 1);

it.each(POINTS)("is consumed exactly once when the process dies at its point %i", async (nth) => {
  const world = createWorld();
  const tools = [countingTool({ idempotent: true }).tool];
  const dying = crashAtPoint(world, nth);
  const first = await openPlugins([plugin], { world, env: dying.env, store: dying.store, tools, script });
  const started = first.runtime.start({ agent: "agent", threadId: "t1", input: "go" });
  started.catch(() => undefined);
  await settle();
  expect(dying.diedAt()).toBeDefined();
  const second = await openPlugins([plugin], { world, tools, script });
  for (let turn = 0; turn < 30; turn += 1) {
    await settle();
    await world.env.advance(1_000);
  }
  const [run] = (await second.runtime.runs()).items;
  expect(run).toMatchObject({ status: "done", termination_code: "natural" });
  const state = await second.runtime.threads.state("t1");
  expect([tally.read(state), runTally.read(state)]).toEqual([["done"], ["s"]]);
  const committed = [...first.changesets, ...second.changesets];
  expect(changesOf(committed, "p").actions).toHaveLength(2);
  await assertConsistent(second.tenant, "t1");
});
