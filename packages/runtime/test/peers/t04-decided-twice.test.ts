import { describe, expect, it } from "vitest";
import { assertSettled } from "../decisions/support/settled.ts";
import { openRuntime } from "../support/open-runtime.ts";
import { suspend } from "../support/suspend.ts";
import { countingTool } from "../support/tools.ts";
import { settle, soon, until } from "../support/wait.ts";

/**
 * T4. Elsewhere resuming a finished run executes the tool again, so that a denied action can be approved afterwards
 * (mastra-ai/mastra#24796), and a copy of a state nobody approved executes it too (openai-agents-python#4409).
 */
describe("T4: a call that is decided twice, after the end, or both ways", () => {
  it("resumed twice runs once; the second answer is the first one's", async () => {
    const { runtime, run, call, keys, tenant } = await suspend();
    const first = await runtime.decisions.decide(call.id, { action: "approve" });
    expect(await runtime.decisions.decide(call.id, { action: "approve" })).toEqual(first);
    expect(await soon(run.outcome())).toMatchObject({ status: "done" });
    expect(await runtime.decisions.decide(call.id, { action: "approve" })).toEqual(first);
    await settle();
    expect(keys).toEqual([call.id]);
    await assertSettled(tenant, "t1");
  });

  it("denied and then approved is refused with the first decision, while the run waits and when it is done", async () => {
    const { runtime, run, open, keys, tenant } = await suspend(["a", "b"]);
    const [one, other] = open.map(({ id }) => id);
    const winner = await runtime.decisions.decide(one ?? "", { action: "deny" });
    const approve = () => runtime.decisions.decide(one ?? "", { action: "approve" });
    await expect(approve()).rejects.toMatchObject({ code: "DECISION_CONFLICT", details: { winner } });
    await until(async () => (await tenant.loadCall(run.id, one ?? ""))?.status === "cancelled", "the denial");
    await expect(approve()).rejects.toMatchObject({ code: "DECISION_CONFLICT", details: { winner } });
    await runtime.decisions.decide(other ?? "", { action: "deny" });
    await soon(run.outcome());
    await expect(approve()).rejects.toMatchObject({ code: "DECISION_CONFLICT", details: { winner } });
    await settle();
    expect(keys).toEqual([]);
    await assertSettled(tenant, "t1");
  });

  it("decided after the end is refused by every process, and nothing runs", async () => {
    const first = await suspend();
    await first.runtime.decisions.decide(first.call.id, { action: "deny" });
    await soon(first.run.outcome());
    const { tool, keys } = countingTool({ needsApproval: true });
    const { env, store, blobs } = first;
    const { runtime, model } = await openRuntime({ world: { env, store, blobs }, tools: [tool] });
    for (const verb of [{ action: "approve" }, { action: "supply", result: 1 }] as const) {
      await expect(runtime.decisions.decide(first.call.id, verb)).rejects.toMatchObject({ code: "DECISION_CONFLICT" });
    }
    const request = { agent_id: "agent", thread_id: "t1", messages: [] };
    const initial_decisions = [{ target_id: first.call.id, action: "resume" as const }];
    const late = runtime.submit({ ...request, initial_decisions });
    await expect(late).rejects.toMatchObject({ code: "DECISION_CONFLICT" });
    await settle();
    expect([keys, model.requests]).toEqual([[], []]);
  });

  it("is decided once when many processes decide at the same moment", async () => {
    const first = await suspend();
    const { env, store, blobs } = first;
    const { tool, keys } = countingTool({ needsApproval: true });
    const open = () => openRuntime({ world: { env, store, blobs }, script: ["after"], tools: [tool] });
    const others = await Promise.all([open(), open(), open()]);
    const answers = await Promise.allSettled(
      others.map(({ runtime }, index) =>
        runtime.decisions.decide(first.call.id, { action: "approve" }, { decisionId: `d${index}` }),
      ),
    );
    expect(answers.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(await soon(first.run.outcome())).toMatchObject({ status: "done" });
    expect(keys.length + first.keys.length).toBe(1);
    await assertSettled(first.tenant, "t1");
  });
});
