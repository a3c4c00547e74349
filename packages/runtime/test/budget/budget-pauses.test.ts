import { type BudgetPolicy, usd } from "@reprise/contracts";
import { describe, expect, it } from "vitest";
import { collect, soon } from "../support/wait.ts";
import { answer, look, openBudgeted, PRICE, start } from "./open-budgeted.ts";

const callLook = [{ call: "look", arguments: {} }, { usage: { promptTokens: 99, completionTokens: 1 } }] as const;

/** Room for one answer and no more. */
const budget: BudgetPolicy = { limit_microcents: 500 * PRICE, on_exceeded: "pause" };

/** A run that has called its tool and must ask before it continues. */
async function openPaused(options: Parameters<typeof openBudgeted>[1] = {}) {
  const bench = await openBudgeted([callLook, answer("hi", 30)], { tools: [look], ...options });
  const run = await bench.runtime.start({ ...start, budget });
  const outcome = await soon(run.outcome());
  if (outcome.status !== "waiting") throw new Error(`It did not ask: ${JSON.stringify(outcome)}`);
  const [question] = outcome.open;
  if (question === undefined) throw new Error("It waits for nobody.");
  return { ...bench, run, question };
}

describe("a run that may ask for more", () => {
  it("waits, and says what it needs", async () => {
    const { run, question, model, runtime } = await openPaused();
    expect(model.requests).toHaveLength(1);
    expect(question).toMatchObject({
      run_id: run.id,
      tool_id: "reprise/budget",
      arguments: { limit_microcents: usd(0.001) },
    });
    expect(await runtime.decisions.list({ threadId: "t1" })).toHaveLength(1);
    expect((await run.record()).termination_code).toBe("input_required");
  });

  it("continues with what it asked for when that is approved", async () => {
    const { run, question, runtime, model, budgetOf } = await openPaused();
    await runtime.decisions.decide(question.id, { action: "approve" });
    expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "hi" });
    expect(await budgetOf(run.id)).toMatchObject({ limit_microcents: 1_000 * PRICE, spent: { tokens: 130 } });
    expect(model.requests[1]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
    expect(await run.record()).toMatchObject({ steps: 2 });
  });

  it("continues with what it is given instead", async () => {
    const { run, question, runtime, budgetOf } = await openPaused();
    await runtime.decisions.decide(question.id, { action: "edit", arguments: { limit_microcents: usd(1) } });
    expect(await soon(run.outcome())).toMatchObject({ status: "done" });
    expect(await budgetOf(run.id)).toMatchObject({ limit_microcents: usd(1) });
  });

  it("asks again when what it is given is too little", async () => {
    const { run, question, runtime } = await openPaused();
    await runtime.decisions.decide(question.id, { action: "edit", arguments: { limit_microcents: 501 * PRICE } });
    const again = await soon(run.outcome());
    expect(again).toMatchObject({ status: "waiting" });
    const [next] = again.status === "waiting" ? again.open : [];
    expect(next?.id).not.toBe(question.id);
    await runtime.decisions.decide(next?.id ?? "", { action: "approve" });
    expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "hi" });
  });

  it.each([["much"], [-1]])("refuses what is no limit, and leaves the question open: %j", async (limit_microcents) => {
    const { run, question, runtime } = await openPaused();
    const edited = runtime.decisions.decide(question.id, { action: "edit", arguments: { limit_microcents } });
    await expect(edited).rejects.toMatchObject({ code: "INVALID_ARGUMENTS" });
    await runtime.decisions.decide(question.id, { action: "approve" });
    expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "hi" });
  });

  it("ends when it is denied, with its thread in order", async () => {
    const { run, question, runtime, model } = await openPaused();
    await runtime.decisions.decide(question.id, { action: "deny", reason: "enough" });
    const termination = { type: "stopped", value: { code: "budget_exceeded", detail: "enough" } };
    expect(await soon(run.outcome())).toMatchObject({ status: "done", termination });
    const next = await runtime.start({ ...start, budget: { limitMicrocents: usd(1) } });
    expect(await soon(next.outcome())).toMatchObject({ status: "done", text: "hi" });
    expect(model.requests[1]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user"]);
  });

  it("is superseded by a new message like any run that waits", async () => {
    const { run, runtime, model } = await openPaused();
    const next = await runtime.start({ ...start, budget: { limitMicrocents: usd(1) } });
    expect(await soon(next.outcome())).toMatchObject({ status: "done", text: "hi" });
    expect(await run.record()).toMatchObject({ termination_code: "stopped:superseded" });
    expect(model.requests[1]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user"]);
  });

  it("can be cancelled", async () => {
    const { run, runtime } = await openPaused();
    await run.cancel();
    expect(await soon(run.outcome())).toMatchObject({ status: "cancelled" });
    expect(await runtime.decisions.list({ threadId: "t1" })).toEqual([]);
  });

  it("does not lose a round to the question", async () => {
    const { run, question, runtime } = await openPaused({ agent: { maxRounds: 2 } });
    await runtime.decisions.decide(question.id, { action: "approve" });
    expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "hi" });
  });

  it("waits also where calls that wait hold up no other call", async () => {
    const { run, question, runtime } = await openPaused({ agent: { partialSuspension: "continue" } });
    await runtime.decisions.decide(question.id, { action: "approve" });
    expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "hi" });
  });

  it("is decided about in another process", async () => {
    const { run, question, store, env } = await openPaused({ limits: { maxActiveRuns: 1 } });
    const elsewhere = await openBudgeted([answer("there", 30)], { store, env, tools: [look] });
    await elsewhere.runtime.decisions.decide(question.id, { action: "approve" });
    expect(await soon(run.outcome())).toMatchObject({ status: "done" });
  });

  it("tells who watches of the question and of its answer", async () => {
    const { run, question, runtime } = await openPaused();
    await runtime.decisions.decide(question.id, { action: "approve" });
    await soon(run.outcome());
    const told = (await collect(run)).flatMap((event) =>
      event.type === "tool_call_done" && event.data.id === question.id ? [event.data.outcome] : [],
    );
    expect(told).toEqual(["suspended", "succeeded"]);
  });
});
