import { describe, expect, it } from "vitest";
import { assertConsistent } from "./support/assert-consistent.ts";
import { openRuntime } from "./support/open-runtime.ts";
import { suspend } from "./support/suspend.ts";
import { countingTool } from "./support/tools.ts";
import { gate, settle, soon, until } from "./support/wait.ts";

describe("what comes in the middle of a commit", () => {
  it("as a cancellation is too late for a run that is just ending", async () => {
    const { runtime, env, tenant } = await openRuntime({ script: ["one", "two"] });
    const held = env.faults.hold("commit:before");
    const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    await held.reached;
    await run.cancel();
    await settle();
    held.release();
    const outcome = await soon(run.outcome());
    expect(["done", "cancelled"]).toContain(outcome.status);
    await settle();
    await assertConsistent(tenant, "t1");
    expect(await soon(runtime.runToCompletion({ agent: "agent", threadId: "t1", input: "b" }))).toMatchObject({
      text: "two",
    });
  });

  it("as a new message supersedes the run that is just about to wait", async () => {
    const { tool, keys } = countingTool({ needsApproval: true });
    const { runtime, env, tenant } = await openRuntime({
      script: [[{ call: "add", arguments: { title: "x" } }], "instead"],
      tools: [tool],
    });
    const held = env.faults.hold("commit:before");
    const first = await runtime.start({ agent: "agent", threadId: "t1", input: "a" });
    await held.reached;
    const second = await runtime.start({ agent: "agent", threadId: "t1", input: "b" });
    held.release();
    expect(await soon(second.outcome())).toMatchObject({ status: "done", text: "instead" });
    expect(await first.record()).toMatchObject({ termination_code: "stopped:superseded" });
    expect(keys).toEqual([]);
    await assertConsistent(tenant, "t1");
  });

  it("as a second decision is used although the run was just going to wait again", async () => {
    const { runtime, run, open, env, keys, tenant, model } = await suspend(["a", "b"]);
    await runtime.decisions.decide(open[0]?.id ?? "", { action: "approve" });
    await until(() => keys.length === 1, "the first execution");
    const held = env.faults.hold("commit:before");
    await settle(2);
    await runtime.decisions.decide(open[1]?.id ?? "", { action: "approve" });
    held.release();
    await until(async () => (await run.record()).status === "done", "the end");
    expect(keys).toEqual(open.map(({ id }) => id));
    expect(model.requests).toHaveLength(2);
    await assertConsistent(tenant, "t1");
  });

  it("as an interrupt ends a run that is just resuming", async () => {
    const { runtime, run, call, env, keys, tenant } = await suspend();
    const held = env.faults.hold("commit:before");
    await runtime.decisions.decide(call.id, { action: "approve" });
    await held.reached;
    const next = await runtime.start({ agent: "agent", threadId: "t1", input: "stop", whenBusy: "interrupt" });
    await settle();
    held.release();
    expect(await soon(next.outcome())).toMatchObject({ status: "done" });
    expect(await run.record()).toMatchObject({ status: "done" });
    expect(keys.length).toBeLessThanOrEqual(1);
    await assertConsistent(tenant, "t1");
  });

  it("as a decision for another call reaches a run whose tool is at work", async () => {
    const release = gate();
    const asking = countingTool({ needsApproval: true });
    const slow = countingTool({ id: "slow", execute: () => release.promise });
    const { runtime, tenant, model } = await openRuntime({
      script: [
        [
          { call: "add", arguments: { title: "x" } },
          { call: "slow", arguments: { title: "y" } },
        ],
        "ok",
      ],
      tools: [asking.tool, slow.tool],
    });
    const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    await until(() => slow.keys.length === 1, "the slow tool");
    const [open] = await runtime.decisions.list();
    await runtime.decisions.decide(open?.id ?? "", { action: "approve" });
    release.open();
    await until(async () => (await run.record()).status === "done", "the end");
    expect(asking.keys).toEqual([open?.id]);
    expect(model.requests).toHaveLength(2);
    await assertConsistent(tenant, "t1");
  });

  it("as the end of the process leaves a run that another can take up", async () => {
    const { runtime, env, store, blobs, tenant } = await openRuntime({ script: ["one"] });
    const held = env.faults.hold("commit:before");
    const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    await held.reached;
    const closing = runtime.close();
    await settle();
    await env.advance(10);
    held.release();
    await soon(closing, "the closing");
    const second = await openRuntime({ world: { env, store, blobs }, script: ["two"] });
    await settle();
    expect(await soon((await second.runtime.run(run.id)).outcome())).toMatchObject({ status: "done" });
    await assertConsistent(tenant, "t1");
  });
});
