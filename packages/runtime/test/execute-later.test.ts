import { changeState, executeLater, toolEffect } from "@reprise/contracts";
import { defineTool } from "@reprise/runtime";
import { defineState } from "@reprise/state";
import { expect, it } from "vitest";
import { assertConsistent } from "./support/assert-consistent.ts";
import { freezeProcess } from "./support/frozen-env.ts";
import { createWorld, openRuntime, type World } from "./support/open-runtime.ts";
import { gate, soon, typesOf, until } from "./support/wait.ts";

const WAIT = 3_600_000;
const LEASE = 12_000;
const POLL = [{ call: "poll", arguments: {} }] as const;

const seen = defineState({
  path: "seen",
  scope: "tool_call",
  initial: () => 0,
  actions: { set: (_: number, count: number) => count },
});

/** A mutating tool that looks again an hour later, until it has looked `rounds` times. */
function pollingTool(rounds: number, before: () => Promise<void> | void = () => undefined) {
  const executions: number[] = [];
  const tool = defineTool({
    id: "poll",
    description: "Looks whether something is done.",
    inputSchema: { type: "object" },
    execute: async (_, { state, identity }) => {
      const count = state.get(seen) + 1;
      executions.push(count);
      await before();
      if (count >= rounds) return `done after ${count}`;
      const kept = changeState(seen.set(count), identity.callId);
      return toolEffect(executeLater({ delayMs: WAIT, message: `looked ${count} times` }), [kept]);
    },
  });
  return { tool, executions };
}

async function startPolling(world: World, rounds: number) {
  const { tool, executions } = pollingTool(rounds);
  const opened = await openRuntime({ world, script: [POLL, "fine"], tools: [tool] });
  const run = await opened.runtime.start({ agent: "agent", threadId: "t1", input: "go" });
  const isWaiting = async () => (await run.record())?.status === "waiting";
  await until(isWaiting, "the wait");
  return { ...opened, run, executions, isWaiting };
}

it("executes a tool again when its time has come, without a person and without a claim in between", async () => {
  const world = createWorld();
  const { run, runtime, executions, isWaiting, tenant } = await startPolling(world, 3);
  expect(await run.record()).toMatchObject({ awaits_runs: true, termination_code: "time_waiting" });
  expect(await runtime.decisions.list({ threadId: "t1" })).toEqual([]);
  await world.env.advance(WAIT - 1_000);
  expect(executions).toEqual([1]);
  await world.env.advance(2_000);
  await until(() => executions.length === 2, "the second execution");
  await until(isWaiting, "the second wait");
  await world.env.advance(WAIT + 1_000);
  expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "fine" });
  expect(executions).toEqual([1, 2, 3]);
  await assertConsistent(tenant, "t1");
  expect(await runtime.replay(run.id)).toMatchObject({ equal: true });
});

it("shows the wait as progress of the call, which ends once", async () => {
  const world = createWorld();
  const { run } = await startPolling(world, 2);
  await world.env.advance(WAIT + 1_000);
  await soon(run.outcome());
  const events = [];
  for await (const event of run.events()) events.push(event);
  expect(typesOf(events).filter((type) => type === "tool_call_done")).toHaveLength(1);
  expect(JSON.stringify(events)).toContain("looked 1 times");
});

it("refuses a decision about a call that continues by itself", async () => {
  const { runtime, tenant, run } = await startPolling(createWorld(), 2);
  const { items } = await tenant.listCalls({ run_id: run.id });
  await expect(runtime.decisions.decide(items[0]?.call_id ?? "", { action: "approve" })).rejects.toMatchObject({
    code: "NOT_SUSPENDED",
  });
});

it("ends a call that waits for a time when its run is cancelled", async () => {
  const { runtime, run, executions } = await startPolling(createWorld(), 2);
  await run.cancel();
  expect(await soon(run.outcome())).toMatchObject({ status: "cancelled" });
  expect(executions).toEqual([1]);
  expect(await runtime.replay(run.id)).toMatchObject({ equal: true });
});

it("repeats an execution that a crash interrupted, although the tool is mutating", async () => {
  const world = createWorld();
  const first = await startPolling(world, 2);
  await first.runtime.close();
  await world.env.advance(WAIT + 1_000);
  const thawed = gate();
  const stuck = pollingTool(2, () => thawed.promise);
  const process = freezeProcess(world);
  await openRuntime({ world, ...process, instanceId: "frozen", script: ["never"], tools: [stuck.tool] });
  await until(() => stuck.executions.length === 1, "the second execution");
  const last = pollingTool(2);
  const { runtime } = await openRuntime({ world, instanceId: "last", script: ["taken over"], tools: [last.tool] });
  await world.env.advance(LEASE + 1_000);
  const run = await runtime.run(first.run.id);
  expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "taken over" });
  expect([...first.executions, ...stuck.executions, ...last.executions]).toEqual([1, 2, 2]);
  thawed.open();
});
