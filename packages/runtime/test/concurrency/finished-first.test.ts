import { describe, expect, it } from "vitest";
import { assertConsistent } from "../support/assert-consistent.ts";
import { freezeProcess } from "../support/frozen-env.ts";
import { logCommits } from "../support/intercept-store.ts";
import { createWorld, openRuntime, type World } from "../support/open-runtime.ts";
import { countingTool, notes } from "../support/tools.ts";
import { gate, settle, soon, until } from "../support/wait.ts";
import type { PlannedCall } from "./support/plan.ts";
import { reportRound } from "./support/report.ts";
import { openStage } from "./support/stage.ts";

const LEASE = 12_000;
const AGENT = { toolConcurrency: { fast: {}, slow: {} } } as const;
const CALLS = [
  { call: "slow", arguments: { title: "slow" } },
  { call: "fast", arguments: { title: "fast" } },
];

function createTools(slow: Parameters<typeof countingTool>[0] = {}) {
  return {
    fast: countingTool({ id: "fast" }),
    slow: countingTool({ id: "slow", ...slow }),
  };
}

/** A process that dies while the slow call runs, after the fast one has finished. */
async function crash(world: World, options: { readonly mode?: "sequential" } = {}) {
  const never = gate();
  const tools = createTools({ execute: () => never.promise });
  const agent = options.mode === undefined ? AGENT : { ...AGENT, toolExecutionMode: options.mode };
  const { runtime } = await openRuntime({
    world,
    ...freezeProcess(world),
    script: [CALLS],
    tools: [tools.slow.tool, tools.fast.tool],
    agent,
  });
  const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
  await until(() => tools.slow.keys.length === 1, "the slow call");
  await settle();
  return { run, tools };
}

async function takeOver(world: World, runId: string, options: { readonly mode?: "sequential" } = {}) {
  const tools = createTools();
  const agent = options.mode === undefined ? AGENT : { ...AGENT, toolExecutionMode: options.mode };
  const bench = await openRuntime({ world, script: ["over"], tools: [tools.slow.tool, tools.fast.tool], agent });
  await world.env.advance(LEASE + 1_000);
  const run = await bench.runtime.run(runId);
  return { ...bench, tools, run, outcome: await soon(run.outcome()) };
}

describe("a result", () => {
  it("is committed while another call of its round still runs", async () => {
    const world = createWorld();
    const { run } = await crash(world);
    const { items } = await world.store.forTenant("default").listCalls({ run_id: run.id });
    expect(items.map(({ tool_id, status }) => `${tool_id} ${status}`).toSorted()).toEqual([
      "fast succeeded",
      "slow running",
    ]);
  });

  it("survives the process, and only the call that ran is in doubt", async () => {
    const world = createWorld();
    const first = await crash(world);
    const second = await takeOver(world, first.run.id);
    expect(second.outcome).toMatchObject({
      status: "waiting",
      open: [{ tool_id: "slow", ticket: { suspension: { action: "unknown_outcome" } } }],
    });
    expect([second.tools.fast.keys, second.tools.slow.keys]).toEqual([[], []]);
    expect(notes.read(await second.runtime.threads.state("t1"))).toEqual(["fast"]);
    await assertConsistent(second.tenant, "t1");

    const [open] = await second.runtime.decisions.list();
    await second.runtime.decisions.decide(open?.id ?? "", { action: "approve" });
    expect(await soon(second.run.outcome())).toMatchObject({ status: "done", text: "over" });
    expect([first.tools.fast.keys.length, second.tools.fast.keys.length]).toEqual([1, 0]);
    expect(second.tools.slow.keys).toEqual(first.tools.slow.keys);
    const results = second.model.requests[0]?.messages.filter(({ role }) => role === "tool");
    expect(results?.map(({ tool_call_id }) => tool_call_id)).toEqual([
      `${first.run.id}-s1-c0`,
      `${first.run.id}-s1-c1`,
    ]);
  });

  it("of a call behind one that is in doubt does not come before that is decided, one at a time", async () => {
    const world = createWorld();
    const first = await crash(world, { mode: "sequential" });
    expect(first.tools.fast.keys).toEqual([]);
    const second = await takeOver(world, first.run.id, { mode: "sequential" });
    expect(second.outcome).toMatchObject({ status: "waiting", open: [{ tool_id: "slow" }] });
    expect(second.tools.fast.keys).toEqual([]);
    const [open] = await second.runtime.decisions.list();
    await second.runtime.decisions.decide(open?.id ?? "", { action: "supply", result: "it did" });
    expect(await soon(second.run.outcome())).toMatchObject({ status: "done" });
    expect([second.tools.slow.keys.length, second.tools.fast.keys.length]).toEqual([0, 1]);
    await assertConsistent(second.tenant, "t1");
  });
});

describe("the commits of a round", () => {
  it("are one before it, one for whatever ended at the same time, and the last is that of the end", async () => {
    const world = createWorld();
    const { store, changesets } = logCommits(world.store);
    const plan = [10, 20, 20, 30].map((ms): PlannedCall => ({ tool: "push", ms }));
    const stage = await openStage({ plan, world: { ...world, store } });
    const run = await stage.start();
    await stage.play(run.outcome());
    const ended = changesets.map(({ reasons, calls }) => [reasons.join("+"), calls.map(({ status }) => status).join()]);
    expect(ended.slice(1)).toEqual([
      ["assistant_turn+tool_intent", "running,running,running,running"],
      ["tool_results", "succeeded"],
      ["tool_results", "succeeded,succeeded"],
      ["tool_results", "succeeded"],
      ["assistant_turn+run_finished", ""],
    ]);
    await reportRound(stage, run);
  });

  it("are no more than two when nothing takes any time", async () => {
    const world = createWorld();
    const { store, changesets } = logCommits(world.store);
    const plan = Array.from({ length: 10 }, (): PlannedCall => ({ tool: "look", ms: 0 }));
    const stage = await openStage({ plan, world: { ...world, store } });
    const run = await stage.start();
    await stage.play(run.outcome());
    expect(changesets.map(({ reasons }) => reasons.join("+"))).toEqual([
      "user_message",
      "assistant_turn+tool_intent",
      "tool_results",
      "assistant_turn+run_finished",
    ]);
  });
});
