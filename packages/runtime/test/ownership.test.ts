import { type Claim, RepriseError } from "@reprise/contracts";
import { describe, expect, it } from "vitest";
import { assertConsistent } from "./support/assert-consistent.ts";
import { interceptStore } from "./support/intercept-store.ts";
import { createWorld, openRuntime } from "./support/open-runtime.ts";
import { countingTool } from "./support/tools.ts";
import { gate, settle, soon, until } from "./support/wait.ts";

const unavailable = () => new RepriseError("STORE_UNAVAILABLE", "The store is away.");

describe("the right to work on a thread", () => {
  it("is prolonged for as long as the work takes", async () => {
    const release = gate();
    const { tool, keys } = countingTool({ timeoutMs: null, execute: () => release.promise });
    const world = createWorld();
    const first = await openRuntime({
      world,
      script: [[{ call: "add", arguments: { title: "x" } }], "ok"],
      tools: [tool],
    });
    await openRuntime({ world, script: [], tools: [tool] });
    const run = await first.runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    await until(() => keys.length === 1, "the execution");
    await world.env.advance(60_000);
    release.open();
    expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "ok", run: { recoveries: 0 } });
    expect(keys).toHaveLength(1);
  });

  it("is prolonged although one look into the inbox failed", async () => {
    const world = createWorld();
    let failures = 1;
    const store = interceptStore(world.store, {
      tenant: (inner) => ({
        readInbox: async (threadId, runId) => {
          if (world.env.clock.mono() > 0 && failures-- > 0) throw unavailable();
          return inner.readInbox(threadId, runId);
        },
      }),
    });
    const { runtime } = await openRuntime({
      world,
      store,
      script: [[{ stall: true }]],
      limits: { modelIdleTimeoutMs: null },
    });
    const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    await settle();
    await world.env.advance(60_000);
    expect(failures).toBeLessThan(1);
    await run.cancel();
    expect(await soon(run.outcome())).toMatchObject({ status: "cancelled", run: { recoveries: 0 } });
  });

  it.each([
    ["fails", () => Promise.reject(unavailable())],
    ["never answers", () => new Promise<never>(() => undefined)],
    // As a store of several databases does while the one with the thread is away.
    ["says nothing about it", async (claims: readonly Claim[]) => claims],
  ])("is given up before it runs out when prolonging it %s", async (_, renew) => {
    const world = createWorld();
    const store = interceptStore(world.store, { operator: () => ({ renew }) });
    const signals: AbortSignal[] = [];
    const { tool } = countingTool({
      timeoutMs: null,
      execute: (_, { signal }) => {
        signals.push(signal);
        return new Promise(() => undefined);
      },
    });
    const { runtime } = await openRuntime({
      world,
      store,
      script: [[{ call: "add", arguments: { title: "x" } }]],
      tools: [tool],
    });
    await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    await until(() => signals.length === 1, "the execution");
    await world.env.advance(11_999);
    expect(signals[0]?.aborted).toBe(true);
  });

  it("comes back to the same process after it was lost, and is then kept", async () => {
    const world = createWorld();
    let isAway = true;
    const store = interceptStore(world.store, {
      operator: (inner) => ({
        renew: (claims, lease) => (isAway ? Promise.reject(unavailable()) : inner.renew(claims, lease)),
      }),
    });
    const { runtime, tenant } = await openRuntime({
      world,
      store,
      script: [[{ text: "a" }], [{ stall: true }]],
      limits: { modelIdleTimeoutMs: null },
    });
    const held = world.env.faults.hold("commit:before");
    const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    await held.reached;
    await world.env.advance(14_000);
    isAway = false;
    await settle();
    expect((await run.record()).recoveries).toBe(1);
    held.release();
    await settle();
    await world.env.advance(60_000);
    // No more were lost; and the first was only slow, which it says when it wakes up.
    expect((await run.record()).recoveries).toBe(0);
    await run.cancel();
    expect(await soon(run.outcome())).toMatchObject({ status: "cancelled" });
    await assertConsistent(tenant, "t1");
  });

  it("is found again although one search for work failed", async () => {
    const world = createWorld();
    let failures = 0;
    const store = interceptStore(world.store, {
      operator: (inner) => ({
        claim: (request) => (failures-- > 0 ? Promise.reject(unavailable()) : inner.claim(request)),
      }),
    });
    const { runtime } = await openRuntime({ world, store, script: ["one", "two"] });
    await settle();
    failures = 2;
    const first = await runtime.start({ agent: "agent", threadId: "t1", input: "a" });
    const second = await runtime.start({ agent: "agent", threadId: "t1", input: "b", whenBusy: "enqueue" });
    await soon(first.outcome());
    await world.env.advance(5_000);
    expect(await soon(second.outcome())).toMatchObject({ status: "done", text: "two" });
    await soon(runtime.close());
  });

  it("is handed back when the process closes, so that another continues at once", async () => {
    const world = createWorld();
    const { tool, keys } = countingTool({
      class: "read_only",
      timeoutMs: null,
      execute: () => new Promise(() => undefined),
    });
    const first = await openRuntime({ world, script: [[{ call: "add", arguments: { title: "x" } }]], tools: [tool] });
    const run = await first.runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    await until(() => keys.length === 1, "the execution");
    const again = countingTool({ class: "read_only" });
    const second = await openRuntime({ world, script: ["taken over"], tools: [again.tool] });
    const closing = first.runtime.close();
    await settle();
    await world.env.advance(10);
    await soon(closing);
    expect(await soon((await second.runtime.run(run.id)).outcome())).toMatchObject({
      status: "done",
      text: "taken over",
    });
    expect(again.keys).toEqual(keys);
    expect(world.env.clock.mono()).toBeLessThan(3_000);
    await assertConsistent(second.tenant, "t1");
  });

  it("lets a run come to its end while the process closes", async () => {
    const release = gate();
    const { tool, keys } = countingTool({ execute: () => release.promise });
    const { runtime } = await openRuntime({
      script: [[{ call: "add", arguments: { title: "x" } }], "ok"],
      tools: [tool],
      limits: { closeTimeoutMs: 10_000 },
    });
    const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    await until(() => keys.length === 1, "the execution");
    const closing = runtime.close();
    await settle();
    release.open();
    await soon(closing);
    expect(await run.record()).toMatchObject({ status: "done", termination_code: "natural" });
  });

  it("does not leave those waiting who asked for an outcome of a run that is handed back", async () => {
    const { runtime, env } = await openRuntime({ script: [[{ stall: true }]] });
    const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    await settle();
    const outcome = run.outcome().catch((error) => error);
    const closing = runtime.close();
    await settle();
    await env.advance(10);
    await soon(closing);
    expect(await soon(outcome, "the outcome")).toMatchObject({ code: "RUNTIME_CLOSED" });
  });
});
