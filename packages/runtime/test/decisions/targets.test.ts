import { type SuspendRequest, suspendTool } from "@reprise/contracts";
import { describe, expect, it } from "vitest";
import { type Bench, openRuntime } from "../support/open-runtime.ts";
import { countingTool } from "../support/tools.ts";
import { settle, soon, until } from "../support/wait.ts";
import { byHistory, resultOf, resultsIn } from "./support/by-history.ts";
import { assertSettled } from "./support/settled.ts";

/** Calls that are known outside under the ids their titles say. */
async function open(titles: readonly string[], request: Partial<SuspendRequest> = {}): Promise<Bench> {
  const { tool } = countingTool({
    execute: ({ title }, { decision }) =>
      decision === undefined
        ? suspendTool({ action: "form", pending: { id: title, name: "form" }, ...request })
        : { title, told: decision.result ?? null },
  });
  const calls = titles.map((title) => ({ call: "add", arguments: { title } }));
  return openRuntime({ script: byHistory([calls, "after"]), tools: [tool] });
}

async function ask({ runtime }: Bench, threadId = "t1") {
  const run = await runtime.start({ agent: "agent", threadId, input: "go" });
  await soon(run.outcome());
  return { run, open: await runtime.decisions.list({ threadId }) };
}

describe("a decision by any of a call's ids", () => {
  it.each(["call", "suspension", "pending"] as const)("the %s's", async (which) => {
    const bench = await open(["form-1", "form-2"]);
    const { run, open: calls } = await ask(bench);
    for (const call of calls.toReversed()) {
      const ids = { call: call.id, suspension: call.ticket?.suspension.id, pending: call.ticket?.pending.id };
      const result = `for ${call.ticket?.pending.id}`;
      const decision = await bench.runtime.decisions.decide(ids[which] ?? "", { action: "supply", result });
      expect(decision).toMatchObject({ run_id: run.id, call_id: call.id, suspension: 1 });
      await settle();
    }
    expect(await soon(run.outcome())).toMatchObject({ status: "done" });
    expect(resultsIn(bench.model.requests[1]).map(([, text]) => JSON.parse(text))).toEqual([
      { title: "form-1", told: "for form-1" },
      { title: "form-2", told: "for form-2" },
    ]);
    await assertSettled(bench.tenant, "t1");
  });

  it.each(["suspension", "pending"] as const)("the %s's, in a request", async (which) => {
    const bench = await open(["form-1"]);
    const { run, open: calls } = await ask(bench);
    const target_id = calls[0]?.ticket?.[which].id ?? "";
    await bench.runtime.submit({
      agent_id: "agent",
      thread_id: "t1",
      messages: [],
      initial_decisions: [{ target_id, action: "resume", result: 7 }],
    });
    expect(await soon(run.outcome())).toMatchObject({ status: "done" });
    expect(resultOf(bench.model.requests[1], calls[0]?.id ?? "")).toBe('{"title":"form-1","told":7}');
  });

  it("made again by another of them is the same decision", async () => {
    const bench = await open(["form-1", "form-2"]);
    const { open: calls } = await ask(bench);
    await bench.runtime.close();
    const [call] = calls;
    const first = await bench.runtime.decisions.decide(call?.id ?? "", { action: "approve" });
    for (const again of [call?.ticket?.suspension.id, call?.ticket?.pending.id]) {
      expect(await bench.runtime.decisions.decide(again ?? "", { action: "approve" })).toEqual(first);
    }
    const other = bench.runtime.decisions.decide(call?.ticket?.pending.id ?? "", { action: "deny" });
    await expect(other).rejects.toMatchObject({ code: "DECISION_CONFLICT", details: { winner: first } });
  });

  it("finds nothing by an id that was answered", async () => {
    const bench = await open(["form-1", "form-2"]);
    const { open: calls } = await ask(bench);
    await bench.runtime.decisions.decide("form-1", { action: "approve" });
    await until(async () => (await bench.runtime.decisions.list()).length === 1, "the first");
    for (const id of ["form-1", calls[0]?.ticket?.suspension.id ?? ""]) {
      await expect(bench.runtime.decisions.decide(id, { action: "deny" })).rejects.toMatchObject({
        code: expect.stringMatching(/^(CALL_NOT_FOUND|NOT_SUSPENDED|DECISION_CONFLICT)$/),
      });
    }
    expect(await bench.runtime.decisions.list()).toMatchObject([{ id: calls[1]?.id }]);
  });

  it("does not guess when two calls of a run are known under the same id", async () => {
    const bench = await open(["form", "form"]);
    const { run, open: calls } = await ask(bench);
    const guess = bench.runtime.decisions.decide("form", { action: "approve" });
    await expect(guess).rejects.toMatchObject({ code: expect.any(String) });
    const request = bench.runtime.submit({
      agent_id: "agent",
      thread_id: "t1",
      messages: [],
      initial_decisions: [{ target_id: "form", action: "resume" }],
    });
    await expect(request).rejects.toMatchObject({ code: expect.any(String) });
    await settle();
    expect(await bench.runtime.decisions.list()).toHaveLength(2);
    for (const { id } of calls) await bench.runtime.decisions.decide(id, { action: "approve" });
    await until(async () => (await run.record()).status === "done", "the end");
  });

  it("does not decide in another thread whose call is known under the same id", async () => {
    const bench = await open(["form"]);
    const first = await ask(bench, "t1");
    const second = await ask(bench, "t2");
    await expect(bench.runtime.decisions.decide("form", { action: "approve" })).rejects.toMatchObject({
      code: expect.any(String),
    });
    await settle();
    expect(await bench.runtime.decisions.list()).toHaveLength(2);
    await bench.runtime.decisions.decide("form", { action: "approve" }, { runId: second.run.id });
    expect(await soon(second.run.outcome())).toMatchObject({ status: "done" });
    expect(await first.run.record()).toMatchObject({ status: "waiting" });
  });

  it("takes a call's own id for its own, also when another call is known under it", async () => {
    const runId = "r1";
    const bench = await open([`${runId}-s1-c1`, "form"]);
    const run = await bench.runtime.submit({
      agent_id: "agent",
      thread_id: "t1",
      run_id: runId,
      messages: [{ role: "user", content: "go" }],
    });
    await soon(run.outcome());
    const decided = await bench.runtime.decisions.decide(`${runId}-s1-c1`, { action: "approve" });
    expect(decided.call_id).toBe(`${runId}-s1-c1`);
    await until(async () => (await bench.runtime.decisions.list()).length === 1, "the one");
    await bench.runtime.decisions.decide(`${runId}-s1-c0`, { action: "deny" });
    expect(await soon(run.outcome())).toMatchObject({ status: "done" });

    const again = await open(["r2-s1-c1", "form"]);
    const other = await again.runtime.submit({
      agent_id: "agent",
      thread_id: "t1",
      run_id: "r2",
      messages: [{ role: "user", content: "go" }],
    });
    await soon(other.outcome());
    await again.runtime.submit({
      agent_id: "agent",
      thread_id: "t1",
      messages: [],
      initial_decisions: [{ target_id: "r2-s1-c1", action: "cancel" }],
    });
    await until(async () => (await again.runtime.decisions.list()).length === 1, "the one");
    expect((await again.runtime.decisions.list())[0]?.id).toBe("r2-s1-c0");
  });
});
