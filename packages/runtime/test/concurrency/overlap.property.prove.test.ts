import fc from "fast-check";
import { describe, it } from "vitest";
import { plans, poolSizes, toolCaps } from "./support/arbitraries.ts";
import { checkBatches } from "./support/check-batches.ts";
import { findProblems } from "./support/oracle.ts";
import { KINDS, poolOf } from "./support/plan.ts";
import { openStage, type StageOptions } from "./support/stage.ts";

async function play(options: StageOptions) {
  const stage = await openStage(options);
  const run = await stage.start();
  const outcome = await stage.play(run.outcome());
  return { ...stage, isDone: outcome.status === "done" };
}

describe("in random batches", { timeout: 600_000 }, () => {
  it("promoted writes overlap, as far as there are places", async () => {
    const batches = fc.record({
      plan: plans({ tools: ["push", "send", "delegate"], ends: ["throws"] }, 10),
      pools: poolSizes,
      caps: toolCaps,
    });
    await checkBatches(1_700, batches, async (batch) => {
      const { spans, runs, isDone } = await play(batch);
      const { plan, pools, caps } = batch;
      const tools = [...new Set(plan.map(({ tool }) => tool))];
      const allowed = tools.map((tool) =>
        Math.min(plan.filter((call) => call.tool === tool).length, caps[tool] ?? Number.POSITIVE_INFINITY),
      );
      const expected = Math.min(
        pools.concurrent,
        allowed.reduce((sum, count) => sum + count, 0),
      );
      const atOnce = spans.filter(({ startedAt }) => startedAt === 0).length;
      return [
        ...findProblems({ spans, runs }, batch),
        ...(atOnce === expected ? [] : [`${atOnce} began at once, not ${expected}`]),
        ...(isDone && spans.length === plan.length ? [] : ["not every call was executed"]),
      ];
    });
  });

  it("writes that were not promoted run alone and in the model's order, across the parts of a round", async () => {
    const batches = fc.record({
      plan: plans({ ends: ["throws"] }, 9),
      pools: poolSizes,
      caps: toolCaps,
      agent: fc.record({
        toolExecutionMode: fc.constantFrom("parallel_streaming", "parallel_batch_approval"),
        startReadsEarly: fc.boolean(),
      }),
    });
    await checkBatches(1_700, batches, async (batch) => {
      const { spans, runs, isDone } = await play(batch);
      const writes = spans.filter(({ toolId }) => poolOf(toolId) === "serial");
      const beside = writes.filter((write) =>
        spans.some(
          (other) =>
            other !== write && other.startedAt < (write.endedAt ?? 0) && write.startedAt < (other.endedAt ?? 0),
        ),
      );
      const order = writes.map(({ index }) => index);
      const planned = batch.plan.filter(({ tool }) => KINDS[tool] !== "missing").length;
      return [
        ...findProblems({ spans, runs }, batch),
        ...beside.map(({ index }) => `write ${index} was not alone`),
        ...(order.every((index, place) => place === 0 || index > (order[place - 1] ?? 0)) ? [] : [`order ${order}`]),
        ...(isDone && spans.length === planned ? [] : ["not every call was executed"]),
      ];
    });
  });
});
