import { awaitRun, type Budget, type NewChildRun, type RunLimits, type Tool, textOf } from "@reprise/contracts";
import { type Script, scriptedModel } from "@reprise/models";
import { createRuntime, defineAgent, defineTool, type Limits, type Runtime, sequence } from "@reprise/runtime";
import { describe, expect, it, onTestFinished } from "vitest";
import { createWorld, type World } from "../support/open-runtime.ts";
import { collect, gate as createGate, soon, until } from "../support/wait.ts";

const delegate = defineTool({
  id: "delegate",
  description: "Has another agent work.",
  inputSchema: { type: "object", additionalProperties: true },
  idempotent: true,
  execute: async (child: NewChildRun, { runs }) => {
    const started = await runs.start(child);
    return child.background === true ? { ...started } : awaitRun(started);
  },
});

const look = defineTool({
  id: "look",
  description: "Looks.",
  inputSchema: {},
  class: "read_only",
  execute: () => "seen",
});
const ask = defineTool({
  id: "ask",
  description: "Asks.",
  inputSchema: {},
  needsApproval: true,
  execute: () => "asked",
});

/** A tool that tells when it begins, and ends when it is told to or its run is cancelled. */
function createWait() {
  const begun = createGate();
  const released = createGate();
  const wait = defineTool({
    id: "wait",
    description: "Waits.",
    inputSchema: {},
    idempotent: true,
    execute: async (_, { signal }) => {
      begun.open();
      signal.addEventListener("abort", () => released.open(), { once: true });
      await released.promise;
      return "open";
    },
  });
  return { wait, begun: begun.promise, release: released.open };
}

interface Team {
  readonly boss: Script;
  readonly worker?: Script;
  readonly tools?: readonly Tool[];
  readonly limits?: Partial<Limits>;
}

/** An answer that takes so many tokens. */
const answer = (text: string, tokens: number) =>
  [{ text }, { usage: { promptTokens: tokens - 1, completionTokens: 1 } }] as const;

async function openTeam(world: World, { boss, worker = () => answer("found it", 100), tools = [], limits }: Team) {
  const models = { boss: scriptedModel(boss, "boss"), worker: scriptedModel(worker, "worker") };
  const runtime = await createRuntime({
    ...world,
    agents: [
      defineAgent({ id: "boss", model: models.boss, tools: [delegate, look, ...tools] }),
      defineAgent({
        id: "worker",
        model: models.worker,
        tools: [delegate, look, ask, ...tools],
        allowedAgents: ["worker"],
      }),
      sequence({ id: "pair", steps: [{ agent: "worker", limits: { limitTokens: 40_000 } }, "worker"] }),
    ],
    limits: { closeTimeoutMs: 1, ...limits },
  });
  onTestFinished(() => void runtime.close().catch(() => undefined));
  return { runtime, ...models };
}

const call = (child: Partial<NewChildRun>) => ({
  call: "delegate",
  arguments: { agentId: "worker", prompt: "look", ...child },
});

const begin = (runtime: Runtime, budget?: { readonly limitTokens?: number; readonly limitToolCalls?: number }) =>
  runtime.start({ agent: "boss", threadId: "above", input: "go", ...(budget !== undefined && { budget }) });

async function childOf(runtime: Runtime, parentRunId: string) {
  const [child] = (await runtime.runs({ parentRunId })).items;
  if (child === undefined) throw new Error("There is no child.");
  return child;
}

/** What the parent's model was told about its call. */
const told = (model: ReturnType<typeof scriptedModel>, turn = 1) =>
  JSON.parse(textOf(model.requests[turn]?.messages.at(-1) ?? { content: "null" }));

const heldIn = ({ allotments }: Budget) => Object.values(allotments).filter(({ held }) => held).length;

async function assertReplays(runtime: Runtime): Promise<void> {
  for (const { run_id } of (await runtime.runs({ limit: 20 })).items)
    expect(await soon(runtime.replay(run_id))).toMatchObject({ equal: true });
}

describe("the limits of a run below", () => {
  it("are set aside before it starts, seen while it works, and returned when it ends", async () => {
    const { wait, begun, release } = createWait();
    const { runtime, boss } = await openTeam(createWorld(), {
      boss: [[call({ limits: { limitTokens: 50_000, limitToolCalls: 3 } })], answer("thanks", 10)],
      worker: [[{ call: "wait" }, { usage: { promptTokens: 40, completionTokens: 10 } }], answer("found it", 60)],
      tools: [wait],
    });
    const run = await begin(runtime, { limitTokens: 100_000 });
    await begun;
    const child = await childOf(runtime, run.id);
    expect(child).toMatchObject({ budget_id: run.id, allotment_id: child.run_id, counts_calls: true });
    const atWork = await runtime.budgets.get(run.id);
    expect(atWork.allotments[child.run_id]).toEqual({
      given_by: run.id,
      limit_microcents: null,
      limit_tokens: 50_000,
      limit_tool_calls: 3,
      spent: { microcents: 0, tokens: 50, tool_calls: 1 },
      held: true,
    });
    release();
    expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "thanks" });
    expect(told(boss)).toMatchObject({ status: "completed", output: "found it" });
    const ended = await runtime.budgets.get(run.id);
    expect(ended.allotments[child.run_id]).toMatchObject({ spent: { tokens: 110, tool_calls: 1 }, held: false });
    expect([heldIn(ended), ended.reserved]).toEqual([0, {}]);
    const started = (await collect(run)).find(({ type }) => type === "child_run_start");
    expect(started?.data).toMatchObject({ limits: { limit_tokens: 50_000, limit_tool_calls: 3 } });
    await assertReplays(runtime);
  });

  it("end the run with a typed error that the run above reads, and leave the rest of the budget alone", async () => {
    const { runtime, boss, worker } = await openTeam(createWorld(), {
      boss: [[call({ limits: { limitTokens: 20 } }), ...usage(10)], answer("then not", 10)],
    });
    const run = await begin(runtime, { limitTokens: 100_000 });
    expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "then not" });
    const child = await childOf(runtime, run.id);
    expect(child).toMatchObject({ error_code: "BUDGET_EXCEEDED" });
    expect(told(boss)).toMatchObject({
      status: "failed",
      error: expect.stringContaining(`run ${child.run_id} was given`),
    });
    expect(worker.requests).toHaveLength(0);
    expect(await runtime.budgets.get(run.id)).toMatchObject({ spent: { tokens: 20 }, reserved: {} });
    await assertReplays(runtime);
  });

  it("are refused when the budget has less left, before anything of the run is stored", async () => {
    const { runtime, boss } = await openTeam(createWorld(), {
      boss: [[call({ limits: { limitTokens: 90_000 } }), ...usage(20_000)], answer("then not", 10)],
    });
    const run = await begin(runtime, { limitTokens: 100_000 });
    expect(await soon(run.outcome())).toMatchObject({ status: "done" });
    expect(JSON.stringify(told(boss))).toContain(
      "A limit of 90000 tokens cannot be set aside: 80000 of the budget are left.",
    );
    expect((await runtime.runs({ parentRunId: run.id })).items).toEqual([]);
    expect((await runtime.budgets.get(run.id)).allotments).toEqual({});
  });

  it.each([
    [{ limitTokens: -1 }, "`limits`.limitTokens must be"],
    [{ limitMs: 0 }, "`limits`.limitMs must be"],
    [{ limitEverything: 1 }, "limitEverything"],
  ])("must make sense: %j", async (limits, name) => {
    const { runtime, boss } = await openTeam(createWorld(), {
      boss: [[call({ limits: limits as RunLimits })], "then not"],
    });
    expect(await soon((await begin(runtime)).outcome())).toMatchObject({ status: "done" });
    expect(JSON.stringify(told(boss))).toContain(name);
    expect((await runtime.runs({ limit: 10 })).items).toHaveLength(1);
  });

  it("of a run further below come out of its parent's, and no deeper run gets more", async () => {
    const inner = (limitTokens: number) => [call({ limits: { limitTokens } }), ...usage(100)];
    const { runtime, worker } = await openTeam(createWorld(), {
      boss: [[call({ limits: { limitTokens: 60_000 } }), ...usage(10)], answer("thanks", 10)],
      worker: ({ messages }) => {
        const text = messages.map(textOf).join(" ");
        if (textOf(messages.findLast(({ role }) => role === "user") ?? { content: "" }) === "deep")
          return answer("deeper", 50);
        if (!text.includes("cannot be set aside")) return inner(70_000);
        const isDone = messages.filter(({ role }) => role === "tool").length === 2;
        return isDone
          ? answer("found it", 100)
          : [call({ prompt: "deep", limits: { limitTokens: 30_000 } }), ...usage(100)];
      },
    });
    const run = await begin(runtime, { limitTokens: 200_000 });
    expect(await soon(run.outcome())).toMatchObject({ status: "done" });
    const child = await childOf(runtime, run.id);
    const deeper = await childOf(runtime, child.run_id);
    const { allotments, spent } = await runtime.budgets.get(run.id);
    expect(allotments[deeper.run_id]).toMatchObject({
      above: child.run_id,
      limit_tokens: 30_000,
      spent: { tokens: 50 },
    });
    expect(allotments[child.run_id]).toMatchObject({ spent: { tokens: 350 }, held: false });
    expect(spent.tokens).toBe(370);
    expect(JSON.stringify(told(worker, 1))).toContain(`of what run ${child.run_id} was given are left`);
  });

  it("hold for a run also where its tree has no budget", async () => {
    const { runtime, boss } = await openTeam(createWorld(), {
      boss: [[call({ limits: { limitTokens: 20 } })], "then not"],
    });
    const run = await begin(runtime);
    expect(await soon(run.outcome())).toMatchObject({ status: "done" });
    expect(told(boss)).toMatchObject({ status: "failed", error: expect.stringContaining("20 are spent or reserved") });
    const child = await childOf(runtime, run.id);
    expect(child).toMatchObject({ budget_id: child.run_id });
  });

  it("are those of each step of a composition", async () => {
    const { runtime } = await openTeam(createWorld(), { boss: [] });
    const run = await runtime.start({ agent: "pair", input: "go", budget: { limitTokens: 100_000 } });
    expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "found it" });
    expect(Object.values((await runtime.budgets.get(run.id)).allotments)).toEqual([
      expect.objectContaining({ limit_tokens: 40_000, spent: { microcents: 0, tokens: 100 }, held: false }),
    ]);
    const poor = await runtime.start({ agent: "pair", input: "go", budget: { limitTokens: 30_000 } });
    expect(await soon(poor.outcome())).toMatchObject({
      status: "failed",
      error: expect.stringContaining("cannot be set aside"),
    });
    await assertReplays(runtime);
  });

  it("can be changed while the run works, as far as the budget above has room", async () => {
    const { wait, begun, release } = createWait();
    const { runtime } = await openTeam(createWorld(), {
      boss: [[call({ limits: { limitTokens: 50_000 } }), ...usage(10)], answer("thanks", 10)],
      worker: [[{ call: "wait" }, ...usage(50)], answer("found it", 60)],
      tools: [wait],
    });
    const run = await begin(runtime, { limitTokens: 100_000 });
    await begun;
    const { run_id } = await childOf(runtime, run.id);
    const raised = await runtime.budgets.setLimit(run_id, { limitTokens: 80_000 });
    expect([raised.limit_tokens, raised.allotments[run_id]?.limit_tokens]).toEqual([100_000, 80_000]);
    await expect(runtime.budgets.setLimit(run_id, { limitTokens: 100_000 })).rejects.toMatchObject({
      code: "BUDGET_EXCEEDED",
    });
    release();
    await soon(run.outcome());
  });
});

function usage(tokens: number) {
  return [{ usage: { promptTokens: tokens - 1, completionTokens: 1 } }] as const;
}

describe("a limit of tool calls", () => {
  it("refuses the next call, which the model reads, and counts those of runs further below", async () => {
    const { runtime, worker } = await openTeam(createWorld(), {
      boss: [[call({ limits: { limitToolCalls: 2 } })], "thanks"],
      worker: ({ messages }) =>
        messages.some((message) => textOf(message).includes("is reached")) ? "I know enough" : [{ call: "look" }],
    });
    const run = await begin(runtime);
    expect(await soon(run.outcome())).toMatchObject({ status: "done" });
    expect(worker.requests).toHaveLength(4);
    const child = await childOf(runtime, run.id);
    expect(JSON.stringify(told(worker, 3))).toContain("The limit of 2 tool calls");
    expect(await runtime.budgets.get(child.run_id)).toMatchObject({ spent: { tool_calls: 2 } });
    await assertReplays(runtime);
  });

  it("holds for a run at the top too, which can set a part of it aside", async () => {
    const { runtime, boss } = await openTeam(createWorld(), {
      boss: [[call({ limits: { limitToolCalls: 2 } })], [{ call: "look" }], [{ call: "look" }], "thanks"],
      worker: [[{ call: "look" }], "found it"],
    });
    const run = await begin(runtime, { limitToolCalls: 3 });
    expect(await soon(run.outcome())).toMatchObject({ status: "done" });
    expect(JSON.stringify(told(boss, 3))).toContain("The limit of 3 tool calls of the budget of this run is reached.");
    expect(await runtime.budgets.get(run.id)).toMatchObject({ spent: { tool_calls: 3 } });
  });
});

describe("a limit of time", () => {
  it("ends the run with everything below it, and the run above reads why", async () => {
    const world = createWorld();
    const { wait, begun } = createWait();
    const { runtime, boss, worker } = await openTeam(world, {
      boss: [[call({ limits: { limitMs: 5_000 } })], "then not"],
      worker: ({ messages }) =>
        textOf(messages.at(-1) ?? { content: "" }) === "deep" ? [{ call: "wait" }] : [call({ prompt: "deep" })],
      tools: [wait],
    });
    const run = await begin(runtime);
    await begun;
    const child = await childOf(runtime, run.id);
    const deeper = await childOf(runtime, child.run_id);
    expect([child.deadline_at, deeper.deadline_at]).toEqual([world.env.clock.now() + 5_000, child.deadline_at]);
    await world.env.advance(5_000);
    expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "then not" });
    expect(told(boss)).toMatchObject({ status: "stopped", stopped_by: "time_limit" });
    await until(async () => (await childOf(runtime, child.run_id)).termination_code === "cancelled");
    expect(worker.requests).toHaveLength(2);
    await assertReplays(runtime);
  });

  it("ends a run that waits for a person", async () => {
    const world = createWorld();
    const { runtime, boss } = await openTeam(world, {
      boss: [[call({ limits: { limitMs: 5_000 } })], "then not"],
      worker: [[{ call: "ask" }], "too late"],
    });
    const run = await begin(runtime);
    await until(async () => (await runtime.decisions.list()).length === 1);
    await world.env.advance(6_000);
    expect(await soon(run.outcome())).toMatchObject({ status: "done" });
    expect(told(boss)).toMatchObject({ status: "stopped", stopped_by: "time_limit" });
  });

  it("is over for a run that was queued too long: its model is not asked", async () => {
    const world = createWorld();
    const slow = await openTeam(world, {
      boss: [[call({ limits: { limitMs: 5_000 }, background: true })], "later"],
      limits: { maxActiveRuns: 1 },
    });
    const { wait, begun, release } = createWait();
    const busy = await openTeam(world, {
      boss: [[{ call: "wait" }], "done"],
      tools: [wait],
      limits: { maxActiveRuns: 1 },
    });
    await slow.runtime.close();
    const first = await begin(busy.runtime);
    await begun;
    const parent = await busy.runtime.start({ agent: "worker", input: "go", policy: {}, budget: { limitMs: 5_000 } });
    await world.env.advance(6_000);
    release();
    await soon(first.outcome());
    await world.env.advance(4_000);
    expect(await soon(parent.outcome())).toMatchObject({ status: "cancelled" });
    expect(busy.worker.requests).toHaveLength(0);
  });
});

describe("an allotment is returned", () => {
  it("when its run is cancelled in the queue with its parent", async () => {
    const { wait, begun } = createWait();
    const { runtime } = await openTeam(createWorld(), {
      boss: [[call({ limits: { limitTokens: 50_000 }, background: true }), { call: "wait" }, ...usage(10)], "late"],
      tools: [wait],
      limits: { maxActiveRuns: 1 },
    });
    const run = await begin(runtime, { limitTokens: 100_000 });
    await begun;
    expect(heldIn(await runtime.budgets.get(run.id))).toBe(1);
    await run.cancel();
    expect(await soon(run.outcome())).toMatchObject({ status: "cancelled" });
    expect(await runtime.budgets.get(run.id)).toMatchObject({ spent: { tokens: 10 } });
    await until(async () => heldIn(await runtime.budgets.get(run.id)) === 0);
  });

  it("when its run is superseded on its own thread", async () => {
    const { runtime } = await openTeam(createWorld(), {
      boss: [[call({ limits: { limitTokens: 50_000 } }), ...usage(10)], answer("thanks", 10)],
      worker: [[{ call: "ask" }, ...usage(10)], answer("other", 10)],
    });
    const run = await begin(runtime, { limitTokens: 100_000 });
    await until(async () => (await runtime.decisions.list()).length === 1);
    const child = await childOf(runtime, run.id);
    await soon((await runtime.start({ agent: "worker", threadId: child.thread_id, input: "instead" })).outcome());
    expect(await soon(run.outcome())).toMatchObject({ status: "done" });
    expect(heldIn(await runtime.budgets.get(run.id))).toBe(0);
  });

  it("only when its run is over, also when its parent ended before", async () => {
    const { wait, begun, release } = createWait();
    const { runtime } = await openTeam(createWorld(), {
      boss: [
        [call({ limits: { limitTokens: 50_000 }, background: true }), ...usage(10)],
        answer("later", 10),
        answer("ok", 10),
      ],
      worker: [[{ call: "wait" }, ...usage(10)], answer("found it", 10)],
      tools: [wait],
    });
    const run = await begin(runtime, { limitTokens: 100_000 });
    expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "later" });
    await begun;
    expect(heldIn(await runtime.budgets.get(run.id))).toBe(1);
    release();
    await until(async () => heldIn(await runtime.budgets.get(run.id)) === 0);
    const child = await childOf(runtime, run.id);
    const notice = await runtime.run(`${child.run_id}-completion`);
    expect(await soon(notice.outcome())).toMatchObject({ status: "done", text: "ok" });
    expect((await runtime.budgets.get(run.id)).spent.tokens).toBe(50);
  });
});
