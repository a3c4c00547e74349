import { expect, it } from "vitest";
import { createWorld, openRuntime } from "../support/open-runtime.ts";
import { countingTool } from "../support/tools.ts";
import { settle, soon } from "../support/wait.ts";
import { call, request } from "./support.ts";

/** A run with a tool that takes four seconds, and one that is asked about; it stops after ten seconds at work. */
async function openTimed(script: readonly (readonly { readonly call: string }[] | string)[], world = createWorld()) {
  const slow = countingTool({ id: "slow", execute: () => world.env.clock.sleep(4_000) }).tool;
  const ask = countingTool({ id: "ask", needsApproval: true }).tool;
  const agent = { stopWhen: [{ type: "timeout", seconds: 10 }], toolExecutionMode: "sequential" } as const;
  const bench = await openRuntime({ world, tools: [slow, ask], agent, script });
  /** Lets four seconds pass, as often as a tool needs them. */
  const work = async (times: number) => {
    for (let time = 0; time < times; time += 1) {
      await settle();
      await world.env.advance(4_000);
    }
    await settle();
  };
  return { ...bench, work };
}

const TIMEOUT = { type: "stopped", value: { code: "timeout_reached", detail: "10 seconds" } };

it("stops after the round in which the time was up", async () => {
  const { runtime, work, model } = await openTimed(Array.from({ length: 9 }, () => [call("slow")]));
  const run = await runtime.start(request);
  await work(3);
  expect(await soon(run.outcome())).toMatchObject({ termination: TIMEOUT, run: { steps: 3 } });
  expect(model.requests).toHaveLength(3);
});

it("does not count the time a run waits", async () => {
  const { runtime, work, env } = await openTimed([[call("slow")], [call("ask")], [call("slow")], "ok"]);
  const run = await runtime.start(request);
  await work(1);
  const outcome = await soon(run.outcome());
  await env.advance(3_600_000);
  const id = outcome.status === "waiting" ? outcome.open[0]?.id : "";
  await runtime.decisions.decide(id ?? "", { action: "approve" });
  await work(1);
  expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "ok", termination: { type: "natural_end" } });
});

it.each(["the same process", "another process"])("counts the time before a wait, in %s", async (where) => {
  const world = createWorld();
  const rounds = [[call("slow"), call("slow"), call("ask")], [call("slow")], [call("slow")], "never"];
  const first = await openTimed(rounds, world);
  const run = await first.runtime.start(request);
  await first.work(2);
  const outcome = await soon(run.outcome());
  await world.env.advance(3_600_000);
  const isOther = where === "another process";
  if (isOther) await first.runtime.close();
  const { runtime, work } = isOther ? await openTimed(rounds.slice(1), world) : first;
  const id = outcome.status === "waiting" ? outcome.open[0]?.id : "";
  await runtime.decisions.decide(id ?? "", { action: "approve" });
  await work(2);
  // Eight seconds before the wait, four after it.
  expect(await soon((await runtime.run(run.id)).outcome())).toMatchObject({ termination: TIMEOUT, run: { steps: 2 } });
});

it("leaves a run alone that is done in time, and one that ends as the time is up", async () => {
  const { runtime, work } = await openTimed([[call("slow"), call("slow")], [call("slow")], "in time"]);
  const early = await openTimed([[call("slow")], "in time"]);
  const run = await early.runtime.start(request);
  await early.work(1);
  expect(await soon(run.outcome())).toMatchObject({ text: "in time", termination: { type: "natural_end" } });
  const late = await runtime.start(request);
  await work(3);
  expect(await soon(late.outcome())).toMatchObject({ termination: TIMEOUT, run: { steps: 2 } });
});
