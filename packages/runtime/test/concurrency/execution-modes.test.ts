import { describe, expect, it } from "vitest";
import { freezeProcess } from "../support/frozen-env.ts";
import { createWorld, openRuntime, type World } from "../support/open-runtime.ts";
import type { PlannedCall } from "./support/plan.ts";
import { describeSpans, reportRound } from "./support/report.ts";
import { openStage, type Stage, type StageOptions } from "./support/stage.ts";

type Mode = NonNullable<NonNullable<StageOptions["agent"]>["toolExecutionMode"]>;

const open = (mode: Mode, plan: readonly PlannedCall[], options: Partial<StageOptions> = {}) =>
  openStage({ ...options, plan, agent: { toolExecutionMode: mode, ...options.agent } });

/** Approves the call at a place of the first round, at a time. */
function approveAt(stage: Stage, ms: number, runId: string, place: number): Promise<void> {
  return stage.at(ms, () => stage.runtime.decisions.decide(`${runId}-s1-c${place}`, { action: "approve" }));
}

describe("one call at a time", () => {
  it("is what sequential means, whatever the tools are", async () => {
    const stage = await open("sequential", [
      { tool: "look", ms: 3 },
      { tool: "scan", ms: 1 },
      { tool: "push", ms: 5 },
      { tool: "push", ms: 2 },
      { tool: "delegate", ms: 1, below: [[{ tool: "look", ms: 4 }]] },
      { tool: "look", ms: 1 },
    ]);
    const run = await stage.start();
    expect(await stage.play(run.outcome())).toMatchObject({ status: "done", text: "done" });
    expect(describeSpans(stage)).toEqual([
      "look 0-3 returned",
      "scan 3-4 returned",
      "push 4-9 returned",
      "push 9-11 returned",
      "delegate 11-16 returned",
      "look 12-16 returned",
      "look 16-17 returned",
    ]);
    await reportRound(stage, run);
  });

  it("continues after a failure", async () => {
    const stage = await open("sequential", [
      { tool: "look", ms: 3, end: "throws" },
      { tool: "look", ms: 1 },
    ]);
    const run = await stage.start();
    await stage.play(run.outcome());
    expect(describeSpans(stage)).toEqual(["look 0-3 threw", "look 3-4 returned"]);
    expect((await reportRound(stage, run)).statuses).toEqual(["failed", "succeeded"]);
  });

  it.each(["approval", "asks"] as const)("is held up by a call that waits (%s), until it is decided", async (end) => {
    const stage = await open("sequential", [
      { tool: "look", ms: 1 },
      { tool: "push", ms: 2, end },
      { tool: "look", ms: 3 },
      { tool: "write", ms: 4 },
    ]);
    const run = await stage.start();
    expect(await stage.play(run.outcome())).toMatchObject({ status: "waiting", open: [{ tool_id: "push" }] });
    expect((await reportRound(stage, run)).statuses).toEqual(["succeeded", "suspended", "new", "new"]);
    const before = stage.spans.length;
    await stage.runtime.decisions.decide(`${run.id}-s1-c1`, { action: "approve" });
    expect(await stage.play(run.outcome())).toMatchObject({ status: "done" });
    expect(stage.spans.slice(before).map(({ index }) => index)).toEqual([1, 2, 3]);
    for (const [place, span] of stage.spans.entries()) {
      expect(span.startedAt).toBeGreaterThanOrEqual(stage.spans[place - 1]?.endedAt ?? 0);
    }
    const { statuses } = await reportRound(stage, run);
    expect(statuses).toEqual(["succeeded", "succeeded", "succeeded", "succeeded"]);
    expect(stage.model.requests).toHaveLength(2);
  });

  it.each(["approve", "deny"] as const)("continues in another process when the decision is to %s", async (action) => {
    const world = createWorld();
    const plan: PlannedCall[] = [
      { tool: "write", ms: 2, end: "approval" },
      { tool: "look", ms: 3 },
      { tool: "write", ms: 4, end: "approval" },
      { tool: "scan", ms: 1 },
    ];
    const first = await open("sequential", plan, { world });
    const run = await first.start();
    await first.play(run.outcome());
    expect(first.spans).toEqual([]);
    await first.runtime.close();

    const second = await open("sequential", plan, { world });
    const taken = await second.runtime.run(run.id);
    await second.runtime.decisions.decide(`${run.id}-s1-c0`, { action });
    expect(await second.play(taken.outcome())).toMatchObject({ status: "waiting", open: [{ id: `${run.id}-s1-c2` }] });
    const began = action === "approve" ? [0, 1] : [1];
    expect(second.spans.map(({ index }) => index)).toEqual(began);
    await second.runtime.decisions.decide(`${run.id}-s1-c2`, { action: "approve" });
    expect(await second.play(taken.outcome())).toMatchObject({ status: "done" });
    expect(second.spans.map(({ index }) => index)).toEqual([...began, 2, 3]);
    expect((await reportRound(second, run)).statuses).toEqual([
      action === "approve" ? "succeeded" : "cancelled",
      "succeeded",
      "succeeded",
      "succeeded",
    ]);
  });
});

describe("a decision while other calls of the round run", () => {
  const PLAN: readonly PlannedCall[] = [
    { tool: "push", ms: 5, end: "approval" },
    { tool: "push", ms: 30 },
    { tool: "push", ms: 20 },
  ];

  it("waits for the end of the round in parallel_batch_approval", async () => {
    const stage = await open("parallel_batch_approval", PLAN);
    const run = await stage.start();
    await stage.play(approveAt(stage, 10, run.id, 0));
    expect(await stage.play(run.outcome())).toMatchObject({ status: "done" });
    expect(describeSpans(stage)).toEqual(["push 0-30 returned", "push 0-20 returned", "push 30-35 returned"]);
    await reportRound(stage, run);
  });

  it("lets its call begin at once in parallel_streaming, which is the default", async () => {
    for (const mode of ["parallel_streaming", undefined] as const) {
      const stage = await openStage({ plan: PLAN, ...(mode && { agent: { toolExecutionMode: mode } }) });
      const run = await stage.start();
      await stage.play(approveAt(stage, 10, run.id, 0));
      expect(await stage.play(run.outcome())).toMatchObject({ status: "done" });
      expect(describeSpans(stage)).toEqual(["push 0-30 returned", "push 0-20 returned", "push 10-15 returned"]);
      expect(stage.model.requests).toHaveLength(2);
      await reportRound(stage, run);
    }
  });

  it("gives its call a place like any other in parallel_streaming", async () => {
    const stage = await open("parallel_streaming", PLAN, { pools: { read: 1, serial: 1, concurrent: 2 } });
    const run = await stage.start();
    await stage.play(approveAt(stage, 10, run.id, 0));
    await stage.play(run.outcome());
    expect(describeSpans(stage)).toEqual(["push 0-30 returned", "push 0-20 returned", "push 20-25 returned"]);
  });

  it("may be a denial, and the result is there before the others are done", async () => {
    const stage = await open("parallel_streaming", PLAN);
    const run = await stage.start();
    await stage.play(
      stage.at(10, () => stage.runtime.decisions.decide(`${run.id}-s1-c0`, { action: "deny", reason: "No." })),
    );
    await stage.play(stage.at(11, () => undefined));
    const { items } = await stage.store.forTenant("default").listCalls({ run_id: run.id, status: "cancelled" });
    expect(items.map(({ call_id }) => call_id)).toEqual([`${run.id}-s1-c0`]);
    expect(await stage.play(run.outcome())).toMatchObject({ status: "done" });
    expect((await reportRound(stage, run)).statuses).toEqual(["cancelled", "succeeded", "succeeded"]);
  });

  it("is heard for a call that asked in the middle of its work", async () => {
    const stage = await open("parallel_streaming", [
      { tool: "push", ms: 5, end: "asks" },
      { tool: "push", ms: 30 },
    ]);
    const run = await stage.start();
    await stage.play(approveAt(stage, 10, run.id, 0));
    expect(await stage.play(run.outcome())).toMatchObject({ status: "done" });
    expect(describeSpans(stage)).toEqual(["push 0-5 asked", "push 0-30 returned", "push 10-15 returned"]);
  });

  it("from another process is heard as well", async () => {
    const world: World = createWorld();
    const stage = await open("parallel_streaming", PLAN, { world });
    const other = await openRuntime({ world, ...freezeProcess(world) });
    const run = await stage.start();
    await stage.play(stage.at(10, () => other.runtime.decisions.decide(`${run.id}-s1-c0`, { action: "approve" })));
    await stage.play(run.outcome());
    expect(describeSpans(stage)).toEqual(["push 0-30 returned", "push 0-20 returned", "push 10-15 returned"]);
  });

  it("holds up the calls of the next class until its own call is done", async () => {
    const stage = await open("parallel_streaming", [
      { tool: "push", ms: 50, end: "approval" },
      { tool: "push", ms: 20 },
      { tool: "look", ms: 1 },
    ]);
    const run = await stage.start();
    await stage.play(approveAt(stage, 10, run.id, 0));
    await stage.play(run.outcome());
    expect(describeSpans(stage)).toEqual(["push 0-20 returned", "push 10-60 returned", "look 60-61 returned"]);
  });
});

describe("calls that are decided together", () => {
  /** Both decisions come while a long read runs, and count at the end of the round. */
  async function decideBoth(plan: readonly PlannedCall[]) {
    const stage = await open("parallel_batch_approval", [...plan, { tool: "look", ms: 30 }]);
    const run = await stage.start();
    const decided = plan.map((_, place) => approveAt(stage, 10 + place, run.id, place));
    await stage.play(Promise.all(decided));
    await stage.play(run.outcome());
    await reportRound(stage, run);
    return describeSpans(stage).slice(1);
  }

  it("run beside each other when they may", async () => {
    const spans = await decideBoth([
      { tool: "push", ms: 5, end: "approval" },
      { tool: "send", ms: 4, end: "approval" },
    ]);
    expect(spans).toEqual(["push 30-35 returned", "send 30-34 returned"]);
  });

  it("run one after the other in the model's order when they write", async () => {
    const spans = await decideBoth([
      { tool: "write", ms: 5, end: "approval" },
      { tool: "edit", ms: 4, end: "approval" },
    ]);
    expect(spans).toEqual(["write 30-35 returned", "edit 35-39 returned"]);
  });

  it("keep the model's order where the class changes: a read after a write sees it", async () => {
    const spans = await decideBoth([
      { tool: "push", ms: 5, end: "approval" },
      { tool: "scan", ms: 4, end: "approval" },
    ]);
    expect(spans).toEqual(["push 30-35 returned", "scan 35-39 returned"]);
  });
});
