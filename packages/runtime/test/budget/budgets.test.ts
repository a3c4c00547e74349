import { type BudgetPolicy, ModelError, usd } from "@reprise/contracts";
import { describe, expect, it } from "vitest";
import { collect, soon } from "../support/wait.ts";
import { answer, look, MAX_OUTPUT, openBudgeted, PRICE, start } from "./open-budgeted.ts";

const callLook = [{ call: "look", arguments: {} }, { usage: { promptTokens: 9, completionTokens: 1 } }] as const;

describe("a run with a budget", () => {
  it("spends what its answers cost and gives back what was reserved", async () => {
    const { runtime, model, budgetOf } = await openBudgeted([answer("hi", 30)]);
    const run = await runtime.start({ ...start, budget: { limitMicrocents: usd(1) } });
    expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "hi" });
    const budget = await budgetOf(run.id);
    expect(budget).toMatchObject({ spent: { microcents: 30 * PRICE, tokens: 30 }, reserved: {} });
    expect(model.requests[0]?.options).toMatchObject({ max_tokens: MAX_OUTPUT });
    expect((await run.record()).cost_microcents).toBe(30 * PRICE);
  });

  it("shows how its budget stood with the route of every answer", async () => {
    const { runtime } = await openBudgeted([answer("hi", 30)]);
    const run = await runtime.start({ ...start, budget: { limitMicrocents: usd(1) } });
    const fact = (await collect(run)).find(({ type }) => type === "model_routed");
    expect(fact?.data).toMatchObject({ budget: { limit_microcents: usd(1), spent_microcents: 30 * PRICE } });
  });

  it("puts aside no longer an answer than the context window has room for", async () => {
    const agent = { contextPolicy: { maxContextTokens: 1_000, maxOutputTokens: 20 } };
    const { runtime, model } = await openBudgeted([answer("hi", 15)], { agent });
    const run = await runtime.start({ ...start, budget: { limitMicrocents: usd(1) } });
    expect(await soon(run.outcome())).toMatchObject({ status: "done" });
    expect(model.requests[0]?.options).toMatchObject({ max_tokens: 20 });
  });

  it("fails before anything is sent when the answer could cost too much", async () => {
    const { runtime, model } = await openBudgeted([answer("hi", 30)]);
    const run = await runtime.start({ ...start, budget: { limitMicrocents: 10 * PRICE } });
    expect(await soon(run.outcome())).toMatchObject({ status: "failed", code: "BUDGET_EXCEEDED" });
    expect(model.requests).toHaveLength(0);
  });

  it("keeps to a limit of tokens, whatever they cost", async () => {
    const long = [callLook[0], { usage: { promptTokens: 900, completionTokens: 1 } }];
    const { runtime, model } = await openBudgeted([long, answer("hi", 30)], { tools: [look], isUnpriced: true });
    const run = await runtime.start({ ...start, budget: { limitTokens: 1_000 } });
    expect(await soon(run.outcome())).toMatchObject({ status: "failed", code: "BUDGET_EXCEEDED" });
    expect(model.requests).toHaveLength(1);
  });

  it("says once that it is over, and continues, when it may only warn", async () => {
    const budget: BudgetPolicy = { limit_microcents: 1, on_exceeded: "warn" };
    const { runtime } = await openBudgeted([callLook, answer("hi", 30)], { tools: [look] });
    const run = await runtime.start({ ...start, budget });
    expect(await soon(run.outcome())).toMatchObject({ status: "done" });
    const warnings = (await collect(run)).filter(({ type }) => type === "budget_warning");
    expect(warnings.map(({ data }) => data)).toMatchObject([{ reason: "over_limit", limit_microcents: 1 }]);
  });

  it("says once that it is near its limit", async () => {
    const budget: BudgetPolicy = { limit_microcents: 1_000 * PRICE, warn_at_percent: 1 };
    const { runtime } = await openBudgeted([callLook, answer("hi", 30)], { tools: [look] });
    const run = await runtime.start({ ...start, budget });
    await soon(run.outcome());
    const warnings = (await collect(run)).filter(({ type }) => type === "budget_warning");
    expect(warnings.map(({ data }) => data)).toMatchObject([{ reason: "near_limit" }]);
  });

  it("refuses a model without a known price, unless it may be asked", async () => {
    const { runtime, model } = await openBudgeted([answer("hi", 30)], { isUnpriced: true });
    const refused = await runtime.start({ ...start, budget: { limitMicrocents: usd(1) } });
    expect(await soon(refused.outcome())).toMatchObject({ status: "failed", code: "MODEL_UNPRICED" });
    expect(model.requests).toHaveLength(0);
    const warned = await runtime.start({ ...start, budget: { limitMicrocents: usd(1), unpriced: "warn" } });
    expect(await soon(warned.outcome())).toMatchObject({ status: "done" });
    const warnings = (await collect(warned)).filter(({ type }) => type === "budget_warning");
    expect(warnings.map(({ data }) => data)).toMatchObject([{ reason: "unpriced" }]);
  });

  it("has its agent's budget unless it is given one", async () => {
    const { runtime } = await openBudgeted([answer("hi", 30)], { budget: { limit_microcents: 1 } });
    const own = await runtime.start({ ...start, budget: { limitMicrocents: usd(1) } });
    expect(await soon(own.outcome())).toMatchObject({ status: "done" });
    const agents = await runtime.start({ ...start, threadId: "t2" });
    expect(await soon(agents.outcome())).toMatchObject({ status: "failed", code: "BUDGET_EXCEEDED" });
  });

  it.each<[string, unknown]>([
    ["no limit", {}],
    ["a limit that is no number", { limit_microcents: "much" }],
    ["half a token", { limit_tokens: 0.5 }],
    ["an unknown field", { limit_tokens: 1, limit_dollars: 1 }],
    ["an unknown policy", { limit_tokens: 1, on_exceeded: "pray" }],
    ["a list", []],
  ])("is refused with %s", async (_, budget) => {
    const { runtime } = await openBudgeted([]);
    const given = budget as BudgetPolicy; // What a client may send.
    await expect(runtime.start({ ...start, budget: given })).rejects.toMatchObject({ code: "INVALID_REQUEST" });
  });
});

describe("issue 14.25: a budget that has less left than an answer may take", () => {
  it("reserves what is left, and sends that as the limit of the answer", async () => {
    const { runtime, model, budgetOf } = await openBudgeted([answer("hi", 30)], {
      isUnpriced: true,
      maxOutput: 16_384,
    });
    const run = await runtime.start({ ...start, budget: { limitTokens: 1_000 } });
    expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "hi" });
    const limit = Number(model.requests[0]?.options.max_tokens);
    expect(limit).toBeGreaterThan(900);
    expect(limit).toBeLessThan(1_000);
    expect(await budgetOf(run.id)).toMatchObject({ spent: { tokens: 30 }, reserved: {} });
  });

  it("does the same with money", async () => {
    const { runtime, model } = await openBudgeted([answer("hi", 30)], { maxOutput: 16_384 });
    const run = await runtime.start({ ...start, budget: { limitMicrocents: 1_000 * PRICE } });
    expect(await soon(run.outcome())).toMatchObject({ status: "done" });
    expect(Number(model.requests[0]?.options.max_tokens)).toBeGreaterThan(900);
  });

  it("asks for nothing when too little is left for any answer", async () => {
    const { runtime, model } = await openBudgeted([answer("hi", 30)], { isUnpriced: true, maxOutput: 16_384 });
    const run = await runtime.start({ ...start, budget: { limitTokens: 20 } });
    expect(await soon(run.outcome())).toMatchObject({ status: "failed", code: "BUDGET_EXCEEDED" });
    expect(model.requests).toHaveLength(0);
  });
});

describe("what is not known", () => {
  it("counts in full: a stream that broke off may have cost all that was reserved", async () => {
    const { runtime, budgetOf } = await openBudgeted([[{ text: "half" }, { cut: true }], answer(" done", 30)]);
    const run = await runtime.start({ ...start, budget: { limitMicrocents: usd(1) } });
    expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "half done" });
    const { spent, reserved } = await budgetOf(run.id);
    expect(reserved).toEqual({});
    expect(spent.tokens).toBeGreaterThan(30 + MAX_OUTPUT);
  });

  it("counts in full for an answer without usage", async () => {
    const { runtime, budgetOf } = await openBudgeted(["hi"]);
    const run = await runtime.start({ ...start, budget: { limitMicrocents: usd(1) } });
    await soon(run.outcome());
    expect((await budgetOf(run.id)).spent.tokens).toBeGreaterThan(MAX_OUTPUT);
  });

  it("costs nothing when the provider refused", async () => {
    const { runtime, budgetOf } = await openBudgeted([[{ fail: "invalid_request" }]]);
    const run = await runtime.start({ ...start, budget: { limitMicrocents: usd(1) } });
    expect(await soon(run.outcome())).toMatchObject({ status: "failed", code: "MODEL_INVALID_REQUEST" });
    expect(await budgetOf(run.id)).toMatchObject({ spent: { tokens: 0 }, reserved: {} });
  });

  it("counts in full for a run that was cancelled while the model spoke", async () => {
    const { runtime, budgetOf } = await openBudgeted([[{ text: "so" }, { stall: true }]]);
    const run = await runtime.start({ ...start, budget: { limitMicrocents: usd(1) } });
    for await (const { type } of run.events()) if (type === "text_delta") await run.cancel();
    expect(await soon(run.outcome())).toMatchObject({ status: "cancelled" });
    const { spent, reserved } = await budgetOf(run.id);
    expect([reserved, spent.tokens > MAX_OUTPUT]).toEqual([{}, true]);
  });
});

describe("what stands before every attempt", () => {
  it("is told what is about to be sent, and stops it by throwing", async () => {
    const asked: unknown[] = [];
    const { runtime, model } = await openBudgeted([answer("hi", 30)], {
      beforeModelAttempt: ({ runId: run_id, model: name, request }) => {
        asked.push([run_id, name, request.messages.length]);
        if (asked.length > 1) throw new Error("not today");
      },
    });
    const run = await runtime.start(start);
    expect(await soon(run.outcome())).toMatchObject({ status: "done" });
    expect(asked).toEqual([[run.id, "p/m", 1]]);
    const next = await runtime.start(start);
    expect(await soon(next.outcome())).toMatchObject({ status: "failed", error: expect.stringContaining("not today") });
    expect(model.requests).toHaveLength(1);
  });

  it("is not taken for a failure of the model", async () => {
    const { runtime, model } = await openBudgeted([answer("hi", 30)], {
      beforeModelAttempt: () => Promise.reject(new ModelError("overloaded", "Too late in the day.")),
    });
    const run = await runtime.start(start);
    expect(await soon(run.outcome())).toMatchObject({ status: "failed", code: "MODEL_OVERLOADED" });
    expect(model.requests).toHaveLength(0);
  });
});
