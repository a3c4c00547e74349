import { createMemoryStoreWithBlobs } from "@reprise/stores/memory";
import { blockCall, createRuntime, definePlugin, memory, scriptedModel } from "reprise";
import type { Env } from "reprise/advanced";
import { permission } from "reprise/plugins/permission";
import { expect, it, onTestFinished } from "vitest";
import { type MineOptions, type Mining, mineRuns, readCandidate } from "../src/index.ts";
import { env, openShop, SCRIPT, shopAgent, silent } from "./support/shop.ts";

async function openHistory() {
  const store = memory();
  const shop = openShop();
  const runtime = await createRuntime({
    agents: [shopAgent({ model: scriptedModel(SCRIPT), tools: shop.tools })],
    store,
  });
  for (const threadId of ["t1", "t2"]) await runtime.runToCompletion({ agent: "shop", threadId, input: "Refund a1." });
  await runtime.close();
  // From here on every question to a model and every call of a tool would be seen.
  const asked: string[] = [];
  const watched = {
    ...silent,
    stream: () => {
      asked.push("model");
      return silent.stream({} as never);
    },
  };
  const called = [...shop.called];
  const agents = [shopAgent({ model: watched, tools: shop.tools })];
  const later = await createRuntime({ agents, store });
  const mine = (candidate: object, today = agents) =>
    mineRuns({
      runtime: later,
      definitions: { agents: today },
      candidate: readCandidate(candidate),
      permission: permission({ default: "allow" }),
      env,
    });
  const assertUntouched = async () => {
    await later.close();
    expect([asked, shop.called]).toEqual([[], called]);
  };
  return { mine, assertUntouched };
}

it("lists what other rules would ask about, deny or stop, and asks no model and calls no tool for it", async () => {
  const { mine, assertUntouched } = await openHistory();
  const nothing = await mine({});
  expect(nothing).toMatchObject({ runs: 2, differing: [], drifted: [], skipped: [] });
  expect(nothing.counts).toEqual({ model_calls: 0, tool_calls: 0, recorded_answers: 12, recorded_results: 8 });

  const refund = { tool: "refund", arguments: { id: "a1", amount: 20 } };
  const rule = (behavior: string) => ({ permission: { default: "allow", rules: [{ tool: "refund", behavior }] } });
  const asking = await mine(rule("ask"));
  expect(asking.differing.map(({ differences }) => differences)).toEqual([
    [{ kind: "asked", ...refund }],
    [{ kind: "asked", ...refund }],
  ]);
  const denying = await mine(rule("deny"));
  expect(denying.totals).toMatchObject({ denied: 2, asked: 0, stopped: 0 });
  expect((await mine({ excluded_tools: ["refund"] })).totals.denied).toBe(2);

  const stopping = await mine({ budget: { limit_tokens: 120 } });
  expect(stopping.differing.map(({ differences }) => differences.at(-1))).toEqual([
    { kind: "stopped", before: "natural", after: "error" },
    { kind: "stopped", before: "natural", after: "error" },
  ]);
  expect([asking, denying, stopping].map(({ counts }) => [counts.model_calls, counts.tool_calls])).toEqual([
    [0, 0],
    [0, 0],
    [0, 0],
  ]);
  await assertUntouched();
});

it("refuses a policy that is none before it plays anything", async () => {
  const { mine } = await openHistory();
  expect(() => readCandidate({ permision: {} }, "new.json")).toThrow(/new\.json is not valid: permision/);
  await expect(mine({ permission: { rules: [{ tool: "x", behavior: "maybe" }] } })).rejects.toMatchObject({
    name: "RepriseError",
  });
});

it("lists runs that are not done as skipped, and looks only at runs of the time and the agent that are asked for", async () => {
  const world = await openTimed();
  const asking = await world.ask("t1");
  expect(await world.mine({})).toMatchObject({
    runs: 1,
    differing: [],
    skipped: [{ run_id: asking, code: "RUN_NOT_DONE", message: `Run ${asking} is waiting, not done.` }],
  });
  world.pass(3_600_000);
  await world.approve(asking);
  const later = world.now();
  const second = await world.ask("t2");
  await world.approve(second);
  expect(await world.mine({})).toMatchObject({ runs: 2, skipped: [] });
  expect(await world.mine({}, { since: later - 60_000 })).toMatchObject({ runs: 1, skipped: [] });
  expect(await world.mine({}, { since: later + 60_000 })).toMatchObject({ runs: 0 });
  expect(await world.mine({}, { agent: "shop" })).toMatchObject({ runs: 2 });
  expect(await world.mine({}, { agent: "other" })).toMatchObject({ runs: 0 });
});

it("holds a limit of time against the time that a run took, waiting included", async () => {
  const world = await openTimed();
  const slow = await world.ask("t1");
  world.pass(60_000);
  await world.approve(slow);
  const quick = await world.ask("t2");
  await world.approve(quick);
  const limited = await world.mine({ budget: { limit_ms: 50_000 } });
  expect(limited.differing).toEqual([
    {
      run_id: slow,
      thread_id: "t1",
      agent_id: "shop",
      differences: [{ kind: "stopped", before: "natural", after: "cancelled" }],
    },
  ]);
  expect((await world.mine({ budget: { limit_ms: 120_000, limit_tokens: 1_000_000 } })).differing).toEqual([]);
  expect(() => readCandidate({ budget: { limit_ms: 0 } })).toThrow(/limit_ms/);
});

it("keeps what today's agents do otherwise apart from what the candidate does", async () => {
  const { mine } = await openHistory();
  const block = definePlugin({
    id: "rule",
    hooks: { beforeToolExecute: ({ call }) => (call.toolId === "refund" ? [blockCall("No.")] : undefined) },
  });
  const agents = [shopAgent({ plugins: [block] })];
  const refund = { tool: "refund", arguments: { id: "a1", amount: 20 } };
  // It is blocked either way.
  const denying = await mine({ excluded_tools: ["refund"] }, agents);
  expect(denying).toMatchObject({ runs: 2, differing: [], totals: { denied: 0 } });
  expect(denying.drifted.map(({ thread_id, differences }) => [thread_id, differences])).toEqual(
    expect.arrayContaining(["t1", "t2"].map((thread) => [thread, [{ kind: "denied", ...refund }]])),
  );
  const stopping = await mine({ max_rounds: 1 }, agents);
  expect(stopping.totals).toMatchObject({ stopped: 2 });
  expect(stopping.drifted.length).toBe(2);
  // What the control run says about itself is told with it.
  const other = [shopAgent({ maxRounds: 1 })];
  const [drifted] = (await mine({}, other)).drifted;
  expect(drifted?.differences).toEqual([{ kind: "stopped", before: "natural", after: "stopped:max_rounds_reached" }]);
  expect(drifted?.notes.map(({ kind }) => kind)).toEqual(["answers_left"]);
});

/** A shop whose refunds of 90 need an approval, and whose time passes when it is told to. */
async function openTimed() {
  let passed = 0;
  const now = (): number => env.clock.now() + passed;
  const { clock } = env;
  const timed: Env = {
    ...env,
    clock: {
      now,
      mono: () => clock.mono() + passed,
      sleep: (ms, signal, options) => clock.sleep(ms, signal, options),
      after: (ms, callback) => clock.after(ms, callback),
    },
  };
  const model = scriptedModel([[{ call: "refund", arguments: { id: "a1", amount: 90 } }], "Done."]);
  const agents = [shopAgent({ model })];
  // Times of runs are those of the store.
  const store = createMemoryStoreWithBlobs(timed);
  const runtime = await createRuntime({ agents, store, blobs: store.blobs, env: timed });
  onTestFinished(() => runtime.close());
  return {
    now,
    pass(ms: number): void {
      passed += ms;
    },
    /** Starts a run that waits for its approval. */
    async ask(threadId: string): Promise<string> {
      const run = await runtime.start({ agent: "shop", threadId, input: "Refund a1." });
      expect(await run.outcome()).toMatchObject({ status: "waiting" });
      return run.id;
    },
    async approve(runId: string): Promise<void> {
      const run = await runtime.run(runId);
      const outcome = await run.outcome();
      for (const { id } of outcome.status === "waiting" ? outcome.open : [])
        await runtime.decisions.decide(id, { action: "approve" });
      expect(await run.outcome()).toMatchObject({ status: "done" });
    },
    mine: (candidate: object, more: Partial<MineOptions> = {}): Promise<Mining> =>
      mineRuns({ runtime, definitions: { agents }, candidate: readCandidate(candidate), env, ...more }),
  };
}
