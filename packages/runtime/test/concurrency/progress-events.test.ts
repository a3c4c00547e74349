import { type AgentEvent, RepriseError } from "@reprise/contracts";
import { defineTool } from "@reprise/runtime";
import { getAt } from "@reprise/state";
import { describe, expect, it } from "vitest";
import { assertConsistent } from "../support/assert-consistent.ts";
import { failCommits, interceptStore } from "../support/intercept-store.ts";
import { createWorld, openRuntime } from "../support/open-runtime.ts";
import { collect, gate, settle, soon, typesOf, until } from "../support/wait.ts";

/** A tool that tells how far it is, one step whenever it is asked to. */
function talkingTool(id: string) {
  const steps: (() => void)[] = [];
  const done = gate<string>();
  const tool = defineTool({
    id,
    description: id,
    class: "read_only",
    execute: (_, context) => {
      let told = 0;
      steps.push(() => context.progress({ progress: ++told, total: 10, message: `${id} ${told}` }));
      return done.promise;
    },
  });
  return { tool, step: () => steps.at(-1)?.(), finish: () => done.open(id), hasBegun: () => steps.length > 0 };
}

const SCRIPT = [[{ call: "a" }, { call: "b" }], "done"];

function progressOf(events: readonly AgentEvent[]): readonly unknown[] {
  return events.flatMap((event) =>
    event.type === "activity_snapshot" ? [getAt(event.data.content, ["message"])] : [],
  );
}

function expectGapless(events: readonly AgentEvent[]): void {
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
}

describe("progress", () => {
  it("is shown in the canonical shape, and is part of the journal", async () => {
    const [a, b] = [talkingTool("a"), talkingTool("b")];
    const { runtime, tenant } = await openRuntime({ script: SCRIPT, tools: [a.tool, b.tool] });
    const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    await until(() => a.hasBegun() && b.hasBegun(), "the tools");
    a.step();
    a.finish();
    b.finish();
    await soon(run.outcome());
    const events = await collect(run);
    expectGapless(events);
    const [shown] = events.flatMap((event) => (event.type === "activity_snapshot" ? [event.data] : []));
    const callId = `${run.id}-s1-c0`;
    expect(shown).toEqual({
      message_id: `tool_call:${callId}`,
      activity_type: "tool-call-progress",
      content: {
        type: "tool-call-progress",
        schema: "tool-call-progress.v1",
        node_id: `tool_call:${callId}`,
        call_id: callId,
        tool_name: "a",
        status: "running",
        progress: 1,
        total: 10,
        message: "a 1",
        run_id: run.id,
        thread_id: "t1",
        updated_at_ms: expect.any(Number),
      },
    });
    await assertConsistent(tenant, "t1");
  });

  it("told while a commit is under way follows after it, without a gap", async () => {
    const world = createWorld();
    const [a, b] = [talkingTool("a"), talkingTool("b")];
    const { runtime, tenant } = await openRuntime({ world, script: SCRIPT, tools: [a.tool, b.tool] });
    const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    await until(() => a.hasBegun() && b.hasBegun(), "the tools");
    const live = Array.fromAsync(run.events());
    b.step();
    const before = world.env.faults.hold("commit:before");
    a.finish();
    await before.reached;
    b.step();
    b.step();
    await settle();
    const after = world.env.faults.hold("commit:after");
    before.release();
    await after.reached;
    b.step();
    await settle();
    after.release();
    await settle();
    b.step();
    b.finish();
    expect(await soon(run.outcome())).toMatchObject({ status: "done" });
    const events = await collect(run);
    expectGapless(events);
    expect(progressOf(events)).toEqual(["b 1", "b 2", "b 3", "b 4", "b 5"]);
    const types = typesOf(events);
    expect(types.slice(types.indexOf("activity_snapshot"), types.lastIndexOf("activity_snapshot") + 1)).toEqual([
      "activity_snapshot",
      "tool_call_done",
      ...Array.from({ length: 4 }, () => "activity_snapshot"),
    ]);
    expect(await soon(live, "the live reader")).toEqual(events);
    await assertConsistent(tenant, "t1");
  });

  it("told while a commit fails for a while is neither lost nor told twice", async () => {
    const world = createWorld();
    const [a, b] = [talkingTool("a"), talkingTool("b")];
    let failures = 0;
    const store = failCommits(world.store, (_, { reasons }) => {
      if (!reasons.includes("tool_results") || failures > 0) return undefined;
      failures += 1;
      b.step();
      return new RepriseError("STORE_UNAVAILABLE", "Away for a moment.");
    });
    const { runtime, tenant } = await openRuntime({ world, store, script: SCRIPT, tools: [a.tool, b.tool] });
    const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    await until(() => a.hasBegun() && b.hasBegun(), "the tools");
    a.finish();
    await settle();
    b.step();
    await world.env.advance(1_000);
    b.step();
    b.finish();
    expect(await soon(run.outcome())).toMatchObject({ status: "done" });
    const events = await collect(run);
    expect(failures).toBe(1);
    expectGapless(events);
    expect(progressOf(events)).toEqual(["b 1", "b 2", "b 3"]);
    await assertConsistent(tenant, "t1");
  });

  it("told while the last commit of a failing run is under way leaves no gap either", async () => {
    const world = createWorld();
    const [a, b] = [talkingTool("a"), talkingTool("b")];
    const store = interceptStore(world.store, {
      tenant: (inner) => ({
        async commit(changeset, guard) {
          b.step();
          if (changeset.reasons.includes("tool_results")) throw new RepriseError("INVALID_REQUEST", "Never.");
          const committed = await inner.commit(changeset, guard);
          b.step();
          return committed;
        },
      }),
    });
    const { runtime, tenant } = await openRuntime({ world, store, script: SCRIPT, tools: [a.tool, b.tool] });
    const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    await until(() => a.hasBegun() && b.hasBegun(), "the tools");
    b.step();
    a.finish();
    expect(await soon(run.outcome())).toMatchObject({ status: "failed" });
    expectGapless(await collect(run));
    await assertConsistent(tenant, "t1");
  });

  it("told by a call that is over is not heard", async () => {
    const [a, b] = [talkingTool("a"), talkingTool("b")];
    const { runtime } = await openRuntime({ script: SCRIPT, tools: [a.tool, b.tool] });
    const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    await until(() => a.hasBegun() && b.hasBegun(), "the tools");
    a.finish();
    await settle();
    a.step();
    b.finish();
    await soon(run.outcome());
    b.step();
    const events = await collect(run);
    expect(progressOf(events)).toEqual([]);
    expectGapless(events);
  });
});
