import { scriptedModel } from "@reprise/models";
import { createRuntime, defineAgent, defineTool } from "@reprise/runtime";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createWorld } from "../support/open-runtime.ts";
import { settle, soon, until } from "../support/wait.ts";
import { poolSizes, toolCaps, trees } from "./support/arbitraries.ts";
import { checkBatches } from "./support/check-batches.ts";
import { findProblems } from "./support/oracle.ts";
import { flatten, KINDS, type PlannedCall, poolOf } from "./support/plan.ts";
import { openStage, type Span, type StageOptions } from "./support/stage.ts";

async function play(options: StageOptions) {
  const stage = await openStage(options);
  const run = await stage.start();
  const outcome = await stage.play(run.outcome());
  return { ...stage, run, outcome };
}

const overlap = (left: Span, right: Span) =>
  left.startedAt < (right.endedAt ?? 0) && right.startedAt < (left.endedAt ?? 0);

function unexecuted(plan: readonly PlannedCall[], spans: readonly Span[]): readonly string[] {
  const planned = flatten(plan).filter(({ tool }) => KINDS[tool] !== "missing").length;
  return spans.length === planned ? [] : [`${spans.length} of ${planned} calls were executed`];
}

describe("in random trees of agents", { timeout: 600_000 }, () => {
  it("the agents below overlap, and each has places of its own for promoted writes", async () => {
    const batches = fc.record({
      plan: trees({ tools: ["push", "send", "look"], ends: ["throws"] }, 1),
      pools: poolSizes,
      caps: toolCaps,
    });
    await checkBatches(450, batches, async (batch) => {
      const { spans, runs, outcome } = await play(batch);
      const isDone = outcome.status === "done";
      return [
        ...findProblems({ spans, runs }, batch),
        ...unexecuted(batch.plan, spans),
        ...(isDone ? [] : ["not done"]),
      ];
    });
  });

  it("writes that were not promoted run one at a time in the whole tree", async () => {
    const batches = fc.record({
      plan: trees({ tools: ["write", "edit", "look", "push"], ends: ["throws"] }, 2, 2),
      pools: poolSizes,
      caps: toolCaps,
    });
    await checkBatches(450, batches, async (batch) => {
      const { spans, runs } = await play(batch);
      const writes = spans.filter(({ toolId }) => poolOf(toolId) === "serial");
      const together = writes.filter((write) => writes.some((other) => other !== write && overlap(write, other)));
      return [
        ...findProblems({ spans, runs }, batch),
        ...unexecuted(batch.plan, spans),
        ...together.map(({ toolId, startedAt }) => `${toolId} at ${startedAt} was not alone`),
      ];
    });
  });

  it("no run waits for ever, however few slots there are and however deep the tree is", async () => {
    const few = fc.integer({ min: 1, max: 2 });
    const batches = fc.record({
      plan: trees({ ends: ["throws", "asks", "approval"] }, 3, 2),
      pools: fc.record({ read: few, serial: few, concurrent: few }),
      caps: fc.record({ delegate: few, assign: few, send: few, scan: few }),
    });
    await checkBatches(450, batches, async ({ plan, pools, caps }) => {
      // The stage reports when all runs wait for each other.
      const { spans } = await play({ plan, pools, caps });
      return spans.some(({ end }) => end === undefined) ? ["a call never came to an end"] : [];
    });
  });
});

describe("a tree of agents", () => {
  it("goes as deep as it likes through pools of one", async () => {
    const depth = 12;
    let plan: readonly PlannedCall[] = [{ tool: "write", ms: 1 }];
    for (let level = 0; level < depth; level += 1) plan = [{ tool: "delegate", ms: 1, below: [plan] }];
    const { outcome, spans } = await play({
      plan,
      pools: { read: 1, serial: 1, concurrent: 1 },
      caps: { delegate: 1 },
    });
    expect(outcome).toMatchObject({ status: "done" });
    expect(spans).toHaveLength(depth + 1);
  });

  it("continues when the process takes no more runs than the tree has levels", async () => {
    const below: readonly PlannedCall[] = [{ tool: "look", ms: 1 }];
    const plan: readonly PlannedCall[] = [{ tool: "delegate", ms: 1, below: [below] }];
    const { outcome } = await play({ plan, limits: { maxActiveRuns: 1 } });
    expect(outcome).toMatchObject({ status: "done" });
  });

  it("continues under that limit also when the run below waited for a decision", async () => {
    const world = createWorld();
    const child = defineAgent({
      id: "child",
      model: scriptedModel(({ messages }) => (messages.at(-1)?.role === "user" ? [{ call: "ask" }] : "done")),
      tools: [defineTool({ id: "ask", description: "Asks.", needsApproval: true, execute: () => "asked" })],
    });
    const delegate = defineTool({
      id: "delegate",
      description: "Waits for an agent until it is done.",
      recursive: true,
      timeoutMs: null,
      async execute(_, { identity }) {
        const run = await runtime.submit({
          agent_id: "child",
          thread_id: "below",
          parent_run_id: identity.runId,
          messages: [{ role: "user", content: "go" }],
        });
        for await (const { type } of run.events({ follow: true })) if (type === "error") return "failed";
        return "below is done";
      },
    });
    const model = scriptedModel([[{ call: "delegate" }], "done"]);
    const runtime = await createRuntime({
      agents: [child, defineAgent({ id: "agent", model, tools: [delegate] })],
      env: world.env,
      store: world.store,
      blobs: world.blobs,
      limits: { maxActiveRuns: 1 },
    });
    const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    await until(async () => (await runtime.decisions.list()).length === 1, "the question");
    await settle();
    const [open] = await runtime.decisions.list();
    await runtime.decisions.decide(open?.id ?? "", { action: "approve" });
    await settle();
    await world.env.advance(1_000);
    expect(await soon(run.outcome(), "the tree")).toMatchObject({ status: "done", text: "done" });
  });

  it("shares its slots with the runs below it, and with no other run", async () => {
    const plan: readonly PlannedCall[] = [{ tool: "delegate", ms: 0, below: [[{ tool: "write", ms: 10 }]] }];
    const stage = await openStage({ plan });
    const input = JSON.stringify(plan);
    const runs = await Promise.all(
      ["x", "y"].map((threadId) => stage.runtime.start({ agent: "agent", threadId, input })),
    );
    for (const run of runs) await stage.play(run.outcome());
    const writes = stage.spans.filter(({ toolId }) => toolId === "write");
    expect(writes.map(({ startedAt }) => startedAt)).toEqual([0, 0]);
  });

  it("takes runs on the same thread as its own one after the other", async () => {
    const stage = await openStage({ plan: [{ tool: "look", ms: 5 }] });
    const run = await stage.start();
    const next = await stage.runtime.submit({
      agent_id: "agent",
      thread_id: "t1",
      parent_run_id: run.id,
      messages: [{ role: "user", content: JSON.stringify([{ tool: "look", ms: 5 }]) }],
    });
    await stage.play(next.outcome());
    expect(stage.spans.map(({ startedAt }) => startedAt)).toEqual([0, 5]);
  });
});
