import { MAX_LOST_CLAIMS } from "@reprise/contracts";
import { scriptedModel } from "@reprise/models";
import { createRuntime, defineAgent } from "@reprise/runtime";
import { describe, expect, it } from "vitest";
import { assertConsistent } from "./support/assert-consistent.ts";
import { freezeProcess } from "./support/frozen-env.ts";
import { interceptStore } from "./support/intercept-store.ts";
import { createWorld, openRuntime } from "./support/open-runtime.ts";
import { countingTool } from "./support/tools.ts";
import { settle, soon } from "./support/wait.ts";

const LEASE = 13_000;

describe("a run that kills its owner again and again", () => {
  it("ends as poison after three recoveries, while other threads continue", async () => {
    const world = createWorld();
    const { tool, keys } = countingTool({
      idempotent: true,
      execute: () => new Promise(() => undefined),
      timeoutMs: null,
    });
    const script = [[{ call: "add", arguments: { title: "x" } }]];
    const first = await openRuntime({ world, ...freezeProcess(world), script, tools: [tool] });
    const run = await first.runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    await settle();
    for (let recovery = 1; recovery <= 3; recovery += 1) {
      await world.env.advance(LEASE);
      await openRuntime({ world, ...freezeProcess(world), script, tools: [tool] });
      await settle();
      expect(keys, `after recovery ${recovery}`).toHaveLength(recovery + 1);
    }
    await world.env.advance(LEASE);
    const last = await openRuntime({ world, script: ["fine"], tools: [tool] });
    const outcome = await soon((await last.runtime.run(run.id)).outcome());
    expect(outcome).toMatchObject({ status: "failed", run: { termination_code: "error:poison" } });
    expect(keys).toHaveLength(4);
    await assertConsistent(last.tenant, "t1");
    expect(await soon(last.runtime.runToCompletion({ agent: "agent", threadId: "t2", input: "go" }))).toMatchObject({
      status: "done",
    });
    expect(await soon(last.runtime.runToCompletion({ agent: "agent", threadId: "t1", input: "again" }))).toMatchObject({
      status: "done",
    });
  });

  it("is not to blame for owners that were only slow", async () => {
    const world = createWorld();
    // Renewals never arrive: the owner of the run is replaced, lives, and notices.
    const store = interceptStore(world.store, { operator: () => ({ renew: () => new Promise(() => undefined) }) });
    const slow = await openRuntime({ world, store, script: () => [{ stall: true }] });
    const run = await slow.runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    for (let loss = 1; loss <= 6; loss += 1) {
      await settle();
      await world.env.advance(LEASE);
    }
    await settle();
    expect(slow.model.requests.length).toBeGreaterThan(6);
    expect(await run.record()).toMatchObject({ status: "running" });
    void slow.runtime.close();
    await world.env.advance(LEASE);
    const last = await openRuntime({ world, script: ["at last"] });
    await world.env.advance(LEASE);
    expect(await soon((await last.runtime.run(run.id)).outcome())).toMatchObject({ status: "done", text: "at last" });
  });

  it("is forgiven when it makes progress in between", async () => {
    const world = createWorld();
    const { tool } = countingTool({ idempotent: true, execute: () => "fine" });
    const stuck = [{ stall: true }] as const;
    const call = [{ call: "add", arguments: { title: "x" } }];
    const first = await openRuntime({ world, ...freezeProcess(world), script: [stuck], tools: [tool] });
    const run = await first.runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    for (let recovery = 1; recovery <= 6; recovery += 1) {
      await settle();
      await world.env.advance(LEASE);
      // One more round is committed, then the process stands still.
      const script = (_: unknown, turn: number) => (turn === recovery ? call : stuck);
      await openRuntime({ world, ...freezeProcess(world), script, tools: [tool] });
    }
    await settle();
    expect((await run.record()).status).toBe("running");
    await world.env.advance(LEASE);
    const last = await openRuntime({ world, script: ["at last"], tools: [tool] });
    expect(await soon((await last.runtime.run(run.id)).outcome())).toMatchObject({ status: "done", text: "at last" });
    await assertConsistent(last.tenant, "t1");
  });

  it("issue 14.37: ends after ten lost claims without a commit, although every owner was only slow", async () => {
    const world = createWorld();
    const first = await openRuntime({ world, ...freezeProcess(world), script: [[{ stall: true }]] });
    const run = await first.runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    await settle();
    const { operator } = world.store;
    for (let lost = 1; lost < MAX_LOST_CLAIMS; lost += 1) {
      await world.env.advance(LEASE);
      const [claim] = await operator.claim({ owner: "slow", lease_ms: LEASE, limit: 1 });
      if (claim === undefined) throw new Error("The run is not offered.");
      // Whoever can say that it lost its claim takes the recovery back, and not the loss.
      await operator.release({ ...claim, epoch: claim.epoch - 1 });
    }
    expect(await run.record()).toMatchObject({ status: "running", recoveries: 0 });
    await world.env.advance(LEASE);
    const last = await openRuntime({ world, script: ["never said"] });
    expect(await soon((await last.runtime.run(run.id)).outcome())).toMatchObject({
      status: "failed",
      run: { termination_code: "error:poison" },
    });
    expect(last.model.requests).toEqual([]);
  });

  it("waits while its agent does not exist, and ends when it is cancelled", async () => {
    const world = createWorld();
    const first = await openRuntime({ world, ...freezeProcess(world), script: [[{ stall: true }]] });
    const run = await first.runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    await settle();
    const other = defineAgent({ id: "other", model: scriptedModel(["ok"]) });
    const { env, store, blobs } = world;
    const second = await createRuntime({ agents: [other], env, store, blobs, limits: { closeTimeoutMs: 1 } });
    await env.advance(120_000);
    expect(await run.record()).toMatchObject({ status: "running", recoveries: 0 });
    expect(await second.missingAgents()).toEqual(["agent"]);
    await (await second.run(run.id)).cancel();
    await env.advance(1_000);
    expect(await run.record()).toMatchObject({ status: "done", termination_code: "cancelled" });
    await assertConsistent(first.tenant, "t1");
    await soon(second.close());
  });
});
