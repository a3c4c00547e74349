import { describe, expect, it } from "vitest";
import { assertConsistent } from "./support/assert-consistent.ts";
import { freezeProcess } from "./support/frozen-env.ts";
import { createWorld, openRuntime, type World } from "./support/open-runtime.ts";
import { countingTool } from "./support/tools.ts";
import { gate, settle, soon, typesOf, until } from "./support/wait.ts";

type Definition = Parameters<typeof countingTool>[0];

const LEASE = 12_000;

/** A process that stands still while its tool runs; what it does after `thaw` is what a late owner does. */
async function freeze(world: World, definition: Definition) {
  const thawed = gate();
  const { tool, keys } = countingTool({ ...definition, execute: () => thawed.promise.then(() => "from the dead") });
  const frozen = await openRuntime({
    world,
    ...freezeProcess(world),
    instanceId: "frozen",
    script: [[{ text: "Well. " }, { call: "add", arguments: { title: "x" } }], "never"],
    tools: [tool],
  });
  const run = await frozen.runtime.start({ agent: "agent", threadId: "t1", input: "go" });
  await until(() => keys.length === 1, "the first execution");
  return { ...frozen, run, keys, thaw: () => thawed.open() };
}

async function takeOver(world: World, definition: Definition) {
  const { tool, keys } = countingTool(definition);
  const second = await openRuntime({ world, instanceId: "second", script: ["taken over"], tools: [tool] });
  await world.env.advance(LEASE + 1_000);
  return { ...second, keys };
}

describe("after a crash while a tool ran", () => {
  it.each([
    ["read-only", { class: "read_only" }],
    ["idempotent", { idempotent: true }],
  ] as const)("a %s tool runs again with the same key", async (_, definition) => {
    const world = createWorld();
    const first = await freeze(world, definition);
    const second = await takeOver(world, definition);
    const run = await second.runtime.run(first.run.id);
    expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "taken over" });
    expect(second.keys).toEqual(first.keys);
    await assertConsistent(second.tenant, "t1");
    expect(second.model.requests[0]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
  });

  it("another tool waits for a person who knows, and does not run", async () => {
    const world = createWorld();
    const first = await freeze(world, {});
    const second = await takeOver(world, {});
    const run = await second.runtime.run(first.run.id);
    const outcome = await soon(run.outcome());
    expect(outcome).toMatchObject({
      status: "waiting",
      open: [{ tool_id: "add", suspension: 1, ticket: { suspension: { action: "unknown_outcome" } } }],
    });
    expect(second.keys).toEqual([]);
    await assertConsistent(second.tenant, "t1");
  });

  it.each([
    [{ action: "supply", result: { count: 9 } }, 0, '{"count":9}'],
    [{ action: "approve" }, 1, '{"count":1}'],
    [{ action: "deny", reason: "It did not." }, 0, "It did not."],
  ] as const)("and continues when that is %j", async (verb, executions, told) => {
    const world = createWorld();
    const first = await freeze(world, {});
    const second = await takeOver(world, {});
    const run = await second.runtime.run(first.run.id);
    await soon(run.outcome());
    const [open] = await second.runtime.decisions.list();
    await second.runtime.decisions.decide(open?.id ?? "", verb);
    expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "taken over" });
    expect(second.keys).toEqual(Array.from({ length: executions }, () => first.keys[0]));
    expect(second.model.requests[0]?.messages.at(-1)?.content).toContain(told);
    await assertConsistent(second.tenant, "t1");
  });

  it("the stale owner is refused, stops itself and leaves nothing in the thread", async () => {
    const world = createWorld();
    const first = await freeze(world, { idempotent: true });
    const second = await takeOver(world, { idempotent: true });
    const run = await second.runtime.run(first.run.id);
    await soon(run.outcome());
    const before = await second.tenant.readChangesets("t1", 0);
    first.thaw();
    await settle();
    expect(await second.tenant.readChangesets("t1", 0)).toEqual(before);
    expect(JSON.stringify(before)).not.toContain("from the dead");
    expect(first.model.requests).toHaveLength(1);
    expect(world.env.lines.some(({ message }) => message.includes("claim is lost"))).toBe(true);
    await assertConsistent(second.tenant, "t1");
  });

  it("a reader of the dead process is told of the withdrawn tail and sees the new one", async () => {
    const world = createWorld();
    const first = await openRuntime({
      world,
      ...freezeProcess(world),
      script: [[{ text: ["half ", "an ", "answer"] }, { stall: true }]],
    });
    const run = await first.runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    const reading = Array.fromAsync(run.events());
    await settle();
    const second = await openRuntime({ world, script: ["whole"] });
    await world.env.advance(LEASE + 1_000);
    const events = await soon(reading, "the reader");
    const reset = events.findIndex(({ type }) => type === "stream_reset");
    expect(events[reset]).toMatchObject({ data: { from_seq: 1 } });
    const after = events.slice(reset + 1);
    expect(after.map(({ seq }) => seq)).toEqual(after.map((_, index) => index + 2));
    expect(typesOf(after)[0]).toBe("run_start");
    expect(typesOf(after).at(-1)).toBe("run_finish");
    await assertConsistent(second.tenant, "t1");
  });
});

describe("a later activation", () => {
  it("opens with run_start, also when a model stream was lost", async () => {
    const world = createWorld();
    const first = await openRuntime({ world, ...freezeProcess(world), script: [[{ text: "half" }, { stall: true }]] });
    const run = await first.runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    await settle();
    const second = await openRuntime({ world, script: ["whole"] });
    await world.env.advance(LEASE + 1_000);
    expect(await soon((await second.runtime.run(run.id)).outcome())).toMatchObject({ status: "done", text: "whole" });
    const events = (await second.tenant.readEvents(run.id, 0)).flatMap((segment) => segment.events);
    expect(typesOf(events).slice(0, 4)).toEqual(["run_start", "run_start", "step_start", "text_delta"]);
  });
});
