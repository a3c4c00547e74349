import { usd } from "@reprise/contracts";
import type { Script } from "@reprise/models";
import { definePlugin } from "@reprise/runtime";
import { describe, expect, it } from "vitest";
import { freezeProcess } from "../support/frozen-env.ts";
import { createWorld } from "../support/open-runtime.ts";
import { soon, until } from "../support/wait.ts";
import { answer, MAX_OUTPUT, openBudgeted, PRICE, start } from "./open-budgeted.ts";

/** An answer of as many tokens as it may have, so that one too many shows. */
const full = (text: string) => [{ text }, { usage: { promptTokens: 1, completionTokens: MAX_OUTPUT } }] as const;

describe("runs below a run with a budget", () => {
  it("spend from it, and from no other", async () => {
    const { runtime } = await openBudgeted(() => full("hi"), { budget: { limit_microcents: 1 } });
    const root = await runtime.start({ agent: "agent", input: "go", budget: { limitMicrocents: usd(1) } });
    await soon(root.outcome());
    const below = await runtime.start({ agent: "agent", input: "go", parentRunId: root.id });
    expect(await soon(below.outcome())).toMatchObject({ status: "done" });
    const deeper = await runtime.start({ agent: "agent", input: "go", parentRunId: below.id });
    expect(await soon(deeper.outcome())).toMatchObject({ status: "done" });
    expect(await runtime.budgets.get(deeper.id)).toMatchObject({ spent: { tokens: 3 * (MAX_OUTPUT + 1) } });
    expect(await runtime.costs.ofTree(root.id)).toEqual({
      cost_microcents: 3 * (MAX_OUTPUT + 1) * PRICE,
      input_tokens: 3,
      output_tokens: 3 * MAX_OUTPUT,
      runs: 3,
      priced: true,
    });
  });

  it("share the budget of a run that waits for its turn", async () => {
    const { runtime } = await openBudgeted(() => full("hi"), { limits: { maxActiveRuns: 0 } });
    const queued = await runtime.start({
      agent: "agent",
      threadId: "t1",
      input: "go",
      budget: { limitTokens: 1_000 },
    });
    const below = await runtime.start({ agent: "agent", threadId: "t2", input: "go", parentRunId: queued.id });
    const entries = await runtime.mailbox.list({ runId: below.id });
    expect(entries.items[0]?.request).toMatchObject({ budget_id: queued.id });
  });

  it("are given a part of it, which only limits", async () => {
    const { runtime } = await openBudgeted(() => full("hi"));
    const root = await runtime.start({ agent: "agent", input: "go", budget: { limitTokens: 1_000 } });
    await soon(root.outcome());
    const below = { agent: "agent", input: "go", parentRunId: root.id };
    const part = await runtime.start({ ...below, budget: { limitTokens: 1 } });
    expect(await soon(part.outcome())).toMatchObject({ status: "failed", code: "BUDGET_EXCEEDED" });
    expect((await runtime.budgets.get(root.id)).allotments).toEqual({
      [part.id]: expect.objectContaining({ given_by: root.id, limit_tokens: 1, held: false }),
    });
    const asking = runtime.start({ ...below, budget: { limitTokens: 1, onExceeded: "pause" } });
    await expect(asking).rejects.toMatchObject({ code: "INVALID_REQUEST" });
    const tooMuch = runtime.start({ ...below, budget: { limitTokens: 5_000 } });
    await expect(tooMuch).rejects.toMatchObject({ code: "BUDGET_EXCEEDED", details: { unit: "tokens" } });
  });

  it("set nothing aside for a request that counts as an earlier one, or is refused", async () => {
    const { runtime } = await openBudgeted(() => full("hi"));
    const root = await runtime.start({ agent: "agent", input: "go", budget: { limitTokens: 10_000 } });
    await soon(root.outcome());
    const below = { agent: "agent", threadId: "t2", input: "go", parentRunId: root.id, dedupeKey: "once" };
    const first = await runtime.start({ ...below, budget: { limitTokens: 1_000 } });
    const again = await runtime.start({ ...below, budget: { limitTokens: 1_000 } });
    expect([again.id, again.isEarlier]).toEqual([first.id, true]);
    await soon(first.outcome());
    await expect(runtime.start({ ...below, input: "other", budget: { limitTokens: 1_000 } })).rejects.toMatchObject({
      code: "RUN_EXISTS",
    });
    const { allotments } = await runtime.budgets.get(root.id);
    expect(Object.values(allotments).map(({ held }) => held)).not.toContain(true);
  });

  it("never exceed it, ten at a time", async () => {
    const { runtime } = await openBudgeted(() => full("hi"));
    const root = await runtime.start({ agent: "agent", input: "go", budget: { limitTokens: 6 * 80 } });
    await soon(root.outcome());
    const runs = await Promise.all(
      Array.from({ length: 10 }, () => runtime.start({ agent: "agent", input: "go", parentRunId: root.id })),
    );
    const outcomes = await Promise.all(runs.map((run) => soon(run.outcome())));
    const done = outcomes.filter(({ status }) => status === "done").length;
    const { output_tokens, input_tokens } = await runtime.costs.ofTree(root.id);
    expect(input_tokens + output_tokens).toBeLessThanOrEqual(6 * 80);
    expect([done > 0, outcomes.every(({ status }) => status === "done" || status === "failed")]).toEqual([true, true]);
    expect(await runtime.budgets.get(root.id)).toMatchObject({
      reserved: {},
      spent: { tokens: input_tokens + output_tokens },
    });
  });

  it("count what a lost owner reserved as spent", async () => {
    const world = createWorld();
    const { env: frozenEnv, store: frozenStore } = freezeProcess(world);
    const script = [[{ text: "so" }, { stall: true }]] as const;
    const first = await openBudgeted(script, { env: frozenEnv, store: frozenStore });
    const run = await first.runtime.start({
      agent: "agent",
      threadId: "t1",
      input: "go",
      budget: { limitTokens: 1_000 },
    });
    for await (const { type } of run.events()) if (type === "text_delta") break;
    const before = await first.runtime.budgets.get(run.id);
    const reserved = Object.values(before.reserved).map(({ tokens }) => tokens);
    expect([before.spent.tokens, reserved]).toEqual([0, [expect.any(Number)]]);
    const next = await openBudgeted([answer("there", 30)], world);
    await world.env.advance(13_000);
    expect(await soon((await next.runtime.run(run.id)).outcome())).toMatchObject({ status: "done", text: "there" });
    const after = await next.runtime.budgets.get(run.id);
    expect([after.spent.tokens, after.reserved]).toEqual([(reserved[0] ?? 0) + 30, {}]);
  });

  it.each([
    ["asks again", false],
    ["ends at once, because it was cancelled", true],
  ])("count what a lost owner's plugin reserved as spent, when the run %s", async (_, isCancelled) => {
    const judge = definePlugin({
      id: "judge",
      hooks: {
        beforeInference: async (context) =>
          void (await context.infer({ messages: [{ role: "user", content: "Is it fine?" }], maxTokens: 20 })),
      },
    });
    const world = createWorld();
    const frozen = freezeProcess(world);
    const first = await openBudgeted([[{ stall: true }]], { ...frozen, agent: { plugins: [judge] } });
    const run = await first.runtime.start({ ...start, budget: { limitTokens: 1_000 } });
    await until(() => first.model.requests.length === 1, "the question");
    const { reserved } = await first.runtime.budgets.get(run.id);
    const [held] = Object.values(reserved);
    expect(held).toMatchObject({ run_id: run.id, epoch: 1, tokens: expect.any(Number) });
    const script: Script = ({ messages: [asked] }) =>
      asked?.content === "Is it fine?" ? answer("fine", 10) : answer("there", 30);
    const next = await openBudgeted(script, { ...world, agent: { plugins: [judge] } });
    if (isCancelled) await (await next.runtime.run(run.id)).cancel();
    await world.env.advance(13_000);
    const status = isCancelled ? "cancelled" : "done";
    expect(await soon((await next.runtime.run(run.id)).outcome())).toMatchObject({ status });
    const { spent, reserved: left } = await next.runtime.budgets.get(run.id);
    expect([spent.tokens, left]).toEqual([(held?.tokens ?? 0) + (isCancelled ? 0 : 40), {}]);
    expect(await soon(next.runtime.replay(run.id))).toMatchObject({ equal: true });
  });
});

describe("a limit", () => {
  it("can be set anew while its runs run", async () => {
    const { runtime } = await openBudgeted(() => full("hi"));
    const root = await runtime.start({ agent: "agent", threadId: "t1", input: "go", budget: { limitTokens: 80 } });
    await soon(root.outcome());
    const refused = await runtime.start({ agent: "agent", input: "go", parentRunId: root.id });
    expect(await soon(refused.outcome())).toMatchObject({ code: "BUDGET_EXCEEDED" });
    expect(await runtime.budgets.setLimit(root.id, { limitTokens: 500 })).toMatchObject({ limit_tokens: 500 });
    const next = await runtime.start({ agent: "agent", input: "go", parentRunId: root.id });
    expect(await soon(next.outcome())).toMatchObject({ status: "done" });
    await expect(runtime.budgets.setLimit(root.id, {})).rejects.toMatchObject({ code: "INVALID_REQUEST" });
    await expect(runtime.budgets.get("nobody")).rejects.toMatchObject({ code: "RUN_NOT_FOUND" });
    expect(await runtime.costs.ofThread("t1")).toMatchObject({ runs: 1 });
  });
});
