import { type Changeset, RepriseError } from "@reprise/contracts";
import { describe, expect, it } from "vitest";
import { assertConsistent } from "./support/assert-consistent.ts";
import { failCommits, interceptStore } from "./support/intercept-store.ts";
import { createWorld, openRuntime } from "./support/open-runtime.ts";
import { countingTool } from "./support/tools.ts";
import { settle, soon, typesOf } from "./support/wait.ts";

const SCRIPT = [[{ call: "add", arguments: { title: "x" } }], "ok"];
const unavailable = () => new RepriseError("STORE_UNAVAILABLE", "The store is away.");

describe("a store that fails", () => {
  it.each([1, 2, 3])("for a moment at commit %i is tried again with the same changeset", async (bad) => {
    const world = createWorld();
    const tried: string[] = [];
    const store = failCommits(world.store, (count, { changeset_id }) => {
      tried.push(changeset_id);
      return count === bad || count === bad + 1 ? unavailable() : undefined;
    });
    const { tool, keys } = countingTool();
    const { runtime, tenant } = await openRuntime({ world, store, script: SCRIPT, tools: [tool] });
    const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    await settle();
    await world.env.advance(1_000);
    expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "ok" });
    expect(tried).toHaveLength(5);
    expect(new Set(tried.slice(bad - 1, bad + 2)).size).toBe(1);
    expect(keys).toHaveLength(1);
    await assertConsistent(tenant, "t1");
  });

  it.each([1, 2, 3])("after it stored commit %i, without saying so, stores it once", async (bad) => {
    const world = createWorld();
    let count = 0;
    const store = interceptStore(world.store, {
      tenant: (inner) => ({
        async commit(changeset, guard) {
          const committed = await inner.commit(changeset, guard);
          count += 1;
          if (count === bad) throw unavailable();
          return committed;
        },
      }),
    });
    const { tool, keys } = countingTool();
    const { runtime, tenant } = await openRuntime({ world, store, script: SCRIPT, tools: [tool] });
    const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    await settle();
    await world.env.advance(1_000);
    expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "ok" });
    expect([(await runtime.threads.get("t1")).version, keys.length]).toEqual([4, 1]);
    await assertConsistent(tenant, "t1");
  });

  it.each([1, 2, 3])("for good at commit %i ends the run with an error that is stored", async (bad) => {
    const world = createWorld();
    const store = failCommits(world.store, (count) =>
      count === bad ? new RepriseError("CORRUPT_DATA", "The disk says no.") : undefined,
    );
    const { tool } = countingTool();
    const { runtime, tenant } = await openRuntime({ world, store, script: SCRIPT, tools: [tool] });
    const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    expect(await soon(run.outcome())).toMatchObject({ status: "failed", error: expect.stringContaining("disk") });
    await assertConsistent(tenant, "t1");
  });

  it("for longer than a lease leaves the run to be recovered, and shows no end that was not stored", async () => {
    const world = createWorld();
    let isAway = false;
    const stored: Changeset[] = [];
    const store = interceptStore(world.store, {
      tenant: (inner) => ({
        async commit(changeset, guard) {
          // It stores what it gets and never says so.
          const committed = await inner.commit(changeset, guard);
          stored.push(changeset);
          if (isAway) throw unavailable();
          return committed;
        },
      }),
    });
    const { tool, keys } = countingTool({ idempotent: true });
    const { runtime, tenant } = await openRuntime({ world, store, script: [...SCRIPT, "ok"], tools: [tool] });
    isAway = true;
    const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    const reading = Array.fromAsync(run.events());
    await settle();
    await world.env.advance(16_000);
    isAway = false;
    await world.env.advance(30_000);
    expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "ok" });
    const events = await soon(reading);
    expect(typesOf(events).filter((type) => type === "run_finish")).toHaveLength(1);
    const last = stored.at(-1);
    expect(last?.reasons).toContain("run_finished");
    expect(keys.length).toBeGreaterThan(0);
    await assertConsistent(tenant, "t1");
  });

  it("while a queued run is started gives the entry back and starts it later, once", async () => {
    const world = createWorld();
    let failures = 1;
    const store = failCommits(world.store, (_, { reasons }) =>
      reasons.includes("user_message") && failures-- > 0 ? unavailable() : undefined,
    );
    const { runtime, tenant } = await openRuntime({ world, store, script: ["one", "two"] });
    const first = await runtime.start({ agent: "agent", threadId: "t1", input: "a" });
    const second = await runtime.start({ agent: "agent", threadId: "t1", input: "b", whenBusy: "enqueue" });
    await soon(first.outcome());
    await settle();
    await world.env.advance(2_000);
    expect(await soon(second.outcome())).toMatchObject({ status: "done", text: "two" });
    expect((await runtime.runs({ threadId: "t1" })).items).toHaveLength(2);
    await assertConsistent(tenant, "t1");
  });

  it("does not stand still for a lease when somebody patched the thread under a resuming run", async () => {
    const { suspend } = await import("./support/suspend.ts");
    const { runtime, run, call, env, tenant, keys } = await suspend();
    const held = env.faults.hold("commit:before");
    await runtime.decisions.decide(call.id, { action: "approve" });
    await held.reached;
    const patched = await runtime.threads
      .patch("t1", { ops: [{ op: "set", path: ["x"], value: 1 }] })
      .catch((error) => error);
    held.release();
    await settle();
    await env.advance(2_000);
    expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "ok" });
    expect(keys).toHaveLength(1);
    if (!(patched instanceof Error)) expect(await runtime.threads.state("t1")).toMatchObject({ x: 1 });
    await assertConsistent(tenant, "t1");
  });
});
