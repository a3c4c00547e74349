import type { StopCondition } from "@reprise/contracts";
import { getAt } from "@reprise/state";
import { describe, expect, it } from "vitest";
import { assertConsistent } from "../support/assert-consistent.ts";
import { crashAtPoint } from "../support/crashing-env.ts";
import { createWorld, type OpenOptions, openRuntime, type World } from "../support/open-runtime.ts";
import { countingTool } from "../support/tools.ts";
import { settle, soon } from "../support/wait.ts";
import { call, makeTools, playStop, request } from "./support.ts";

const errors = (max: number): StopCondition => ({ type: "consecutive_errors", max });

it("begins anew with every run", async () => {
  const script = [[call("fail")], [call("a")], [call("fail")], "one", [call("fail")], "two"];
  const { runtime, outcome } = await playStop([errors(2)], script);
  expect(outcome).toMatchObject({ text: "one", termination: { type: "natural_end" } });
  expect(await soon(runtime.runToCompletion(request))).toMatchObject({
    text: "two",
    termination: { type: "natural_end" },
  });
  const state = await runtime.threads.state("t1");
  expect(getAt(state, ["__kernel", "stop_policy_runtime"])).toMatchObject({ consecutive_errors: 1, noted_step: 2 });
});

it("is in the state, in the name of the stop policies, and no client hears of it", async () => {
  const { run, tenant, runtime } = await playStop([errors(9)], [[call("fail")], "ok"]);
  const sources = (await tenant.readPatches("t1", 0)).flatMap(({ patches }) => patches.map(({ source }) => source));
  expect(sources).toContain("plugin:stop_policy");
  const events = await Array.fromAsync(run.events());
  expect(JSON.stringify(events)).not.toContain("stop_policy_runtime");
  expect(getAt(await runtime.threads.state("t1"), ["__kernel", "stop_policy_runtime"])).toBeDefined();
});

it("remembers as many rounds as are asked about, and not all of a long run", async () => {
  const { runtime } = await playStop([{ type: "loop_detection", window: 4 }], undefined, { agent: { maxRounds: 40 } });
  const history = getAt(await runtime.threads.state("t1"), ["__kernel", "stop_policy_runtime", "recent_tools"]);
  expect((history as unknown[]).length).toBeLessThanOrEqual(16);
});

/** A run in which the second of three failing rounds waits for a decision. */
async function openWaiting(world: World, options: OpenOptions = {}) {
  const ask = countingTool({ id: "ask", needsApproval: true, execute: () => Promise.reject(new Error("no")) });
  const tools = [...makeTools().tools, ask.tool];
  return openRuntime({ world, tools, agent: { stopWhen: [errors(3)], maxRounds: 50 }, ...options });
}

it.each(["the same process", "another process"])("continues over a suspension in %s", async (where) => {
  const world = createWorld();
  const script = [[call("fail")], [call("ask")], [call("fail")], "never"];
  const first = await openWaiting(world, { script });
  const run = await first.runtime.start(request);
  const outcome = await soon(run.outcome());
  await settle();
  const id = outcome.status === "waiting" ? outcome.open[0]?.id : "";
  const isOther = where === "another process";
  if (isOther) await first.runtime.close();
  const { runtime } = isOther ? await openWaiting(world, { script }) : first;
  await runtime.decisions.decide(id ?? "", { action: "approve" });
  expect(await soon((await runtime.run(run.id)).outcome())).toMatchObject({
    termination: { type: "stopped", value: { code: "consecutive_errors_exceeded" } },
    run: { steps: 3 },
  });
});

describe("a step is counted once", () => {
  /** Every point such a run comes to. */
  const POINTS = Array.from({ length: 17 }, (_, index) => index + 1);

  it.each(POINTS)("when the process dies at its point %i", async (nth) => {
    const world = createWorld();
    const make = () =>
      countingTool({ id: "fail", idempotent: true, execute: () => Promise.reject(new Error("no")) }).tool;
    const agent = { stopWhen: [errors(3)], maxRounds: 50 };
    const script = () => [call("fail")];
    const dying = crashAtPoint(world, nth);
    const first = await openRuntime({ world, env: dying.env, store: dying.store, tools: [make()], agent, script });
    first.runtime.start(request).catch(() => undefined);
    await settle();
    expect(dying.diedAt()).toBeDefined();
    const second = await openRuntime({ world, tools: [make()], agent, script });
    for (let turn = 0; turn < 25; turn += 1) {
      await settle();
      await world.env.advance(1_000);
    }
    const [run] = (await second.runtime.runs()).items;
    expect(run).toMatchObject({ status: "done", termination_code: "stopped:consecutive_errors_exceeded", steps: 3 });
    await assertConsistent(second.tenant, "t1");
  });
});
