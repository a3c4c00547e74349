import { describe, expect, it } from "vitest";
import { freezeProcess } from "../support/frozen-env.ts";
import { createWorld, openRuntime } from "../support/open-runtime.ts";
import { countingTool } from "../support/tools.ts";
import { settle, soon } from "../support/wait.ts";

const CALL = [{ call: "add", arguments: { title: "x" } }];

/** A call that was approved, began, and lost its owner: it is asked about a second time, now whether it happened. */
async function askTwice() {
  const world = createWorld();
  const { tool, keys } = countingTool({
    needsApproval: true,
    execute: () => new Promise(() => undefined),
    timeoutMs: null,
  });
  const first = await openRuntime({ world, script: [CALL], tools: [tool] });
  const run = await first.runtime.start({ agent: "agent", threadId: "t1", input: "go" });
  await soon(run.outcome());
  const [open] = await first.runtime.decisions.list();
  const callId = open?.id ?? "";
  const second = await openRuntime({ world, ...freezeProcess(world), script: [], tools: [tool] });
  await soon(first.runtime.close());
  await second.runtime.decisions.decide(callId, { action: "approve" }, { decisionId: "d1" });
  await settle();
  const third = await openRuntime({ world, ...freezeProcess(world), script: ["ok"], tools: [tool] });
  await settle();
  await world.env.advance(13_000);
  const last = await openRuntime({ world, script: ["ok"], tools: [tool] });
  await settle();
  const [again] = await last.runtime.decisions.list();
  expect(again).toMatchObject({ id: callId, suspension: 2 });
  return { runtime: last.runtime, third, callId, keys, run };
}

describe("a decision that is sent again when the call is asked about a second time", () => {
  it("gets the answer to the first question, and lets nothing run", async () => {
    const { runtime, callId, keys } = await askTwice();
    const before = keys.length;
    const options = { decisionId: "d1" };
    expect(await runtime.decisions.decide(callId, { action: "approve" }, options)).toMatchObject({ suspension: 1 });
    await settle();
    expect(keys).toHaveLength(before);
    expect(await runtime.decisions.list()).toHaveLength(1);
  });

  it("conflicts when it says something else now", async () => {
    const { runtime, callId } = await askTwice();
    const deny = runtime.decisions.decide(callId, { action: "deny" }, { decisionId: "d1" });
    await expect(deny).rejects.toMatchObject({ code: "DECISION_CONFLICT" });
  });

  it("is held to the question it names", async () => {
    const { runtime, callId } = await askTwice();
    const late = runtime.decisions.decide(callId, { action: "deny" }, { suspension: 1 });
    await expect(late).rejects.toMatchObject({ code: "DECISION_CONFLICT" });
    const early = runtime.decisions.decide(callId, { action: "deny" }, { suspension: 3 });
    await expect(early).rejects.toMatchObject({ code: "NOT_SUSPENDED" });
    const same = await runtime.decisions.decide(callId, { action: "approve" }, { suspension: 1 });
    expect(same).toMatchObject({ decision_id: "d1", suspension: 1 });
    expect(await runtime.decisions.decide(callId, { action: "deny" }, { suspension: 2 })).toMatchObject({
      suspension: 2,
    });
  });
});
