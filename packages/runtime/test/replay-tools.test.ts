import { suspendTool, toolEffect } from "@reprise/contracts";
import { defineTool } from "@reprise/runtime";
import { defineState } from "@reprise/state";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { record } from "./replay-support/record.ts";
import { openRuntime } from "./support/open-runtime.ts";
import { countingTool } from "./support/tools.ts";
import { settle, soon, until } from "./support/wait.ts";

const votes = defineState({
  path: "votes",
  scope: "run",
  initial: (): number[] => [],
  actions: { add: (list, vote: number) => [...list, vote] },
});

const inputSchema = z.object({ ms: z.number() });

/** Takes its time, says how far it is, and does all a tool can do. */
const slow = defineTool({
  id: "slow",
  description: "Takes its time.",
  inputSchema,
  class: "read_only",
  async execute({ ms }, context) {
    context.progress({ progress: 1, total: 2 });
    await new Promise<void>((resolve) => setImmediate(resolve));
    for (let turn = 0; turn < ms; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve));
    context.progress({ progress: 2, total: 2 });
    return { ms, drawn: await context.record("dice", () => 4) };
  },
});
const write = defineTool({
  id: "write",
  description: "Writes.",
  inputSchema,
  async execute({ ms }, { state, queueMessage }) {
    await new Promise<void>((resolve) => setImmediate(resolve));
    state.apply(votes.add(ms));
    queueMessage({ role: "user", content: `written ${ms}` });
    return ms;
  },
});
const breaking = defineTool({
  id: "break",
  description: "Breaks.",
  inputSchema,
  execute: () => Promise.reject(new Error("broken")),
});
const hanging = defineTool({
  id: "hang",
  description: "Hangs.",
  inputSchema,
  timeoutMs: 300,
  execute: () => new Promise<never>(() => undefined),
});
const ending = defineTool({
  id: "end",
  description: "Ends the run.",
  inputSchema,
  execute: () => toolEffect("over", [{ type: "terminate", reason: "enough" }]),
});
const large = defineTool({ id: "large", description: "Says a lot.", inputSchema, execute: () => "x".repeat(400_000) });
const asking = defineTool({
  id: "ask",
  description: "Asks.",
  inputSchema,
  execute: (_, { decision }) =>
    decision === undefined ? suspendTool({ action: "which" }) : { answer: decision.result ?? null },
});
const tools = [slow, write, breaking, hanging, ending, large, asking];
/** Says where it is not, when it is not. */
const EQUAL = expect.objectContaining({ equal: true });
const call = (name: string, ms = 0) => ({ call: name, arguments: { ms } });

describe("a verified replay", () => {
  it("has parallel results in the order in which they came, with their progress", async () => {
    const script = [[call("slow", 9), call("slow", 1), call("slow", 5), call("slow", 0)], "done"];
    const { verify, outcome } = await record({ tools, script });
    expect(outcome.status).toBe("done");
    expect(await verify()).toEqual(EQUAL);
  });

  it("has writes one after another, queued messages and states of the run", async () => {
    const { verify, runtime } = await record({
      tools,
      script: [[call("write", 1), call("write", 2), call("slow", 1)], "done"],
    });
    expect(await runtime.threads.state("t1")).toMatchObject({ votes: [1, 2] });
    expect(await verify()).toEqual(EQUAL);
  });

  it.each(["break", "hang", "large", "unknown", "end"])("has what became of the tool %s", async (name) => {
    const { verify, outcome } = await record({ tools, script: [[call(name), call("slow", 2)], "done"] });
    expect(outcome.status).toBe("done");
    expect(await verify()).toEqual(EQUAL);
  });

  it("has arguments that could not be read, and were not what the tool takes", async () => {
    const script = [
      [
        { call: "slow", raw: "{" },
        { call: "slow", arguments: { ms: "x" } },
        { call: "slow", raw: '{"__proto__":1}' },
      ],
      "done",
    ];
    const { verify } = await record({ tools, script });
    expect(await verify()).toEqual(EQUAL);
  });

  it.each(["sequential", "parallel_batch_approval", "parallel_streaming"] as const)(
    "works in the mode %s",
    async (toolExecutionMode) => {
      const script = [[call("write", 1), call("break"), call("slow", 3), call("write", 2)], "done"];
      const { verify } = await record({ tools, script, agent: { toolExecutionMode, startReadsEarly: true } });
      expect(await verify()).toEqual(EQUAL);
    },
  );

  it("has reads that were begun while the model spoke", async () => {
    const script = [[call("slow", 1), { text: ["a", "b", "c"] }, call("slow", 0)], "done"];
    const { verify } = await record({ tools, script, agent: { startReadsEarly: true } });
    expect(await verify()).toEqual(EQUAL);
  });

  it("fails again where two calls changed the same state", async () => {
    const script = [[call("write", 1), call("write", 2)], "done"];
    const agent = { toolConcurrency: { write: { max: 2 } } };
    const { verify, outcome } = await record({ tools, script, agent });
    expect(outcome).toMatchObject({ status: "failed", code: "PATCH_CONFLICT" });
    expect(await verify()).toEqual(EQUAL);
  });

  it("has a tool that asked, and what it was told", async () => {
    const { verify, outcome } = await record(
      { tools, script: [[call("ask"), call("slow", 1)], "done"] },
      async ({ runtime }, run) => {
        await soon(run.outcome());
        const [open] = await runtime.decisions.list({ threadId: "t1" });
        await runtime.decisions.decide(open?.id ?? "", { action: "supply", result: { city: "Oslo" } });
      },
    );
    expect(outcome.status).toBe("done");
    expect(await verify()).toEqual(EQUAL);
  });

  it.each([
    ["approved", { action: "approve" }],
    ["denied", { action: "deny", reason: "No." }],
    ["edited", { action: "edit", arguments: { title: "other" } }],
    ["supplied", { action: "supply", result: 7 }],
  ] as const)("has a call that another runtime %s", async (_, verb) => {
    const { tool } = countingTool({ needsApproval: true });
    const script = [[{ call: "add", arguments: { title: "x" } }], "done"];
    const { verify, outcome } = await record({ tools: [tool], script }, async (bench, run) => {
      await soon(run.outcome());
      const other = await openRuntime({ world: bench, tools: [tool], script: ["never asked"] });
      const [open] = await other.runtime.decisions.list({ threadId: "t1" });
      await other.runtime.decisions.decide(open?.id ?? "", verb);
    });
    expect(outcome.status).toBe("done");
    expect(await verify()).toEqual(EQUAL);
  });

  it("has a question that ran out", async () => {
    const expiring = defineTool({
      id: "expiring",
      description: "Asks for a while.",
      execute: () => suspendTool({ action: "which", expiresInMs: 2_000 }),
    });
    const { verify, outcome } = await record(
      { tools: [expiring], script: [[{ call: "expiring" }], "done"] },
      async ({ env }, run) => {
        await soon(run.outcome());
        for (let turn = 0; turn < 10; turn += 1) await env.advance(500);
      },
    );
    expect(outcome.status).toBe("done");
    expect(await verify()).toEqual(EQUAL);
  });

  it("has a run that was cancelled while the model spoke, while tools ran, and while it waited", async () => {
    const speaking = await record({ script: [[{ text: ["a", "b"] }, { stall: true }]] }, async (_, run) => {
      await settle();
      await run.cancel("enough");
    });
    expect(speaking.outcome.status).toBe("cancelled");
    expect(await speaking.verify()).toMatchObject({ equal: true });
    const running = await record({ tools, script: [[call("slow", 3), call("hang")], "done"] }, async (_, run) => {
      await settle(40);
      await run.cancel();
    });
    expect(running.outcome.status).toBe("cancelled");
    expect(await running.verify()).toMatchObject({ equal: true });
    const waiting = await record({ tools, script: [[call("ask")], "done"] }, async (_, run) => {
      await soon(run.outcome());
      await run.cancel();
    });
    expect(waiting.outcome.status).toBe("cancelled");
    expect(await waiting.verify()).toMatchObject({ equal: true });
  });

  it("has what was said to the run at work, and a run that another took the place of", async () => {
    let calls = 0;
    const script = (): string | readonly { call: string; arguments: unknown }[] =>
      calls++ === 0 ? [call("slow", 30)] : "done";
    const steered = await record({ tools, script }, async ({ runtime }) => {
      await settle(5);
      await runtime.start({ agent: "agent", threadId: "t1", input: "also", whenBusy: "steer" });
    });
    const { messages } = await steered.runtime.threads.messages("t1");
    expect(messages.map(({ content }) => content)).toContain("also");
    expect(await steered.verify()).toMatchObject({ equal: true });
    const superseded = await record({ tools, script: [[call("ask")], "instead"] }, async ({ runtime }, run) => {
      await soon(run.outcome());
      await soon((await runtime.start({ agent: "agent", threadId: "t1", input: "never mind" })).outcome());
    });
    expect(superseded.outcome).toMatchObject({ status: "done", termination: { type: "stopped" } });
    expect(await superseded.verify()).toMatchObject({ equal: true });
    const { items } = await superseded.runtime.runs({ threadId: "t1" });
    for (const { run_id } of items)
      expect(await soon(superseded.runtime.replay(run_id))).toMatchObject({ equal: true });
  });

  it("has a run that undid the one before", async () => {
    const bench = await record({ tools, script: [[call("hang")], "undone"] }, async ({ runtime }, run) => {
      await settle(30);
      const next = await runtime.start({ agent: "agent", threadId: "t1", input: "again", whenBusy: "rollback" });
      await soon(next.outcome());
      await soon(run.outcome());
    });
    const { items } = await bench.runtime.runs({ threadId: "t1" });
    expect(items).toHaveLength(2);
    for (const { run_id } of items) expect(await soon(bench.runtime.replay(run_id))).toMatchObject({ equal: true });
    await until(() => true);
  });
});
