import { describe, expect, it } from "vitest";
import { assertConsistent } from "./support/assert-consistent.ts";
import { createWorld, openRuntime } from "./support/open-runtime.ts";
import { suspend } from "./support/suspend.ts";
import { countingTool } from "./support/tools.ts";
import { collect, settle, soon, until } from "./support/wait.ts";

const STALL = { script: () => [{ text: "hm" }, { stall: true }] as const, limits: { modelIdleTimeoutMs: null } };

describe("a cancelled run", () => {
  it("ends while the model speaks", async () => {
    const { runtime, model, tenant } = await openRuntime(STALL);
    const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    await settle();
    await run.cancel("enough");
    expect(await soon(run.outcome())).toMatchObject({ status: "cancelled", run: { termination_code: "cancelled" } });
    expect(model.requests[0]?.signal.aborted).toBe(true);
    expect((await collect(run)).at(-1)).toMatchObject({
      type: "run_finish",
      data: { termination: { type: "cancelled" } },
    });
    await assertConsistent(tenant, "t1");
  });

  it("ends while a tool runs that does not listen, and the call has a result", async () => {
    const signals: AbortSignal[] = [];
    const { tool } = countingTool({
      execute: (_, { signal }) => {
        signals.push(signal);
        return new Promise(() => undefined);
      },
    });
    const { runtime, tenant } = await openRuntime({
      script: [
        [
          { call: "add", arguments: { title: "a" } },
          { call: "add", arguments: { title: "b" } },
        ],
      ],
      tools: [tool],
    });
    const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    await until(() => signals.length === 1, "the tool");
    await run.cancel();
    expect(await soon(run.outcome())).toMatchObject({ status: "cancelled" });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    const calls = (await tenant.listCalls({ run_id: run.id })).items;
    expect(calls.map(({ status }) => status)).toEqual(["cancelled", "cancelled"]);
    await assertConsistent(tenant, "t1");
  });

  it("ends in the middle of a round, and also the calls that could never run have results", async () => {
    const { tool, keys } = countingTool({ execute: () => new Promise(() => undefined) });
    const { runtime, tenant } = await openRuntime({
      script: [[{ call: "add", arguments: { title: "a" } }, { call: "nope" }, { call: "add", raw: "{" }]],
      tools: [tool],
    });
    const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    await until(() => keys.length === 1, "the tool");
    await run.cancel();
    expect(await soon(run.outcome())).toMatchObject({ status: "cancelled" });
    const { messages } = await runtime.threads.messages("t1");
    expect(messages.filter(({ role }) => role === "tool")).toHaveLength(3);
    await assertConsistent(tenant, "t1");
  });

  it("ends while it waits, and its calls have results", async () => {
    const { runtime, run, tenant, keys } = await suspend(["a", "b"]);
    await run.cancel();
    await until(async () => (await run.record()).status === "done", "the end");
    expect(await run.record()).toMatchObject({ termination_code: "cancelled" });
    expect(keys).toEqual([]);
    expect(await runtime.decisions.list()).toEqual([]);
    await assertConsistent(tenant, "t1");
  });

  it("ends while it waits even when it was approved in the same moment, one or the other", async () => {
    const { runtime, run, call, tenant, keys } = await suspend();
    await Promise.all([run.cancel(), runtime.decisions.decide(call.id, { action: "approve" })]);
    await until(async () => (await run.record()).status === "done", "the end");
    expect(keys.length).toBeLessThanOrEqual(1);
    await assertConsistent(tenant, "t1");
  });

  it("never begins when it was only queued", async () => {
    const { runtime, model, tenant } = await openRuntime(STALL);
    const first = await runtime.start({ agent: "agent", threadId: "t1", input: "one" });
    const second = await runtime.start({ agent: "agent", threadId: "t1", input: "two", whenBusy: "enqueue" });
    await settle();
    await second.cancel();
    expect(await soon(second.outcome())).toEqual({ status: "cancelled" });
    expect(await collect(second)).toEqual([]);
    await first.cancel();
    await soon(first.outcome());
    await settle();
    expect(model.requests).toHaveLength(1);
    expect((await runtime.runs({ threadId: "t1" })).items).toHaveLength(1);
    await assertConsistent(tenant, "t1");
  });

  it("ends also when it took the place of a waiting one", async () => {
    const { tool } = countingTool({ needsApproval: true });
    const { runtime, tenant } = await openRuntime({
      script: (_, turn) => (turn === 1 ? [{ call: "add", arguments: { title: "x" } }] : [{ stall: true }]),
      tools: [tool],
      limits: { modelIdleTimeoutMs: null },
    });
    await runtime.runToCompletion({ agent: "agent", threadId: "t1", input: "one" });
    const second = await runtime.start({ agent: "agent", threadId: "t1", input: "two" });
    await until(async () => (await tenant.loadRun(second.id)) !== undefined, "the second run");
    await settle();
    await second.cancel();
    expect(await soon(second.outcome())).toMatchObject({ status: "cancelled" });
    await assertConsistent(tenant, "t1");
  });

  it("ends when another process asks for it", async () => {
    const world = createWorld();
    const first = await openRuntime({ world, ...STALL });
    const second = await openRuntime({ world });
    const run = await first.runtime.start({ agent: "agent", threadId: "t1", input: "one" });
    await settle();
    const seen = await second.runtime.run(run.id);
    await seen.cancel();
    expect(await soon(seen.outcome())).toMatchObject({ status: "cancelled" });
  });

  it("stays cancelled however often it is asked, and is refused once it is over", async () => {
    const { runtime } = await openRuntime(STALL);
    const run = await runtime.start({ agent: "agent", threadId: "t1", input: "one" });
    await settle();
    await Promise.all([run.cancel(), run.cancel(), run.cancel()]);
    await soon(run.outcome());
    await expect(run.cancel()).rejects.toMatchObject({ code: "RUN_NOT_ACTIVE" });
  });

  it("ends at the very moment it was accepted", async () => {
    const { runtime, env, tenant } = await openRuntime(STALL);
    const run = await runtime.start({ agent: "agent", threadId: "t1", input: "one" });
    await run.cancel();
    await settle();
    await env.advance(3_000);
    expect(await soon(run.outcome())).toMatchObject({ status: "cancelled" });
    await assertConsistent(tenant, "t1");
  });

  it("leaves the thread ready for the next run", async () => {
    const { runtime, tenant } = await openRuntime({
      script: (_, turn) => (turn === 1 ? [{ stall: true }] : "fine"),
      limits: { modelIdleTimeoutMs: null },
    });
    const run = await runtime.start({ agent: "agent", threadId: "t1", input: "one" });
    await settle();
    await run.cancel();
    const next = await soon(runtime.runToCompletion({ agent: "agent", threadId: "t1", input: "two" }));
    expect(next).toMatchObject({ status: "done", text: "fine" });
    await assertConsistent(tenant, "t1");
  });
});
