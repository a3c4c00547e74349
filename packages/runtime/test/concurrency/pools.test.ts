import { describe, expect, it } from "vitest";
import { soon } from "../support/wait.ts";
import type { PlannedCall, ToolName } from "./support/plan.ts";
import { describeSpans, reportRound } from "./support/report.ts";
import { openStage, type StageOptions } from "./support/stage.ts";

const repeat = (count: number, call: PlannedCall): readonly PlannedCall[] => Array.from({ length: count }, () => call);

async function playPlan(plan: readonly PlannedCall[], options: Partial<StageOptions> = {}) {
  const stage = await openStage({ plan, ...options });
  const run = await stage.start();
  const outcome = await stage.play(run.outcome());
  return { ...stage, run, outcome, ...(await reportRound(stage, run)), shown: describeSpans(stage) };
}

const startsOf = (spans: readonly { readonly startedAt: number }[]) => spans.map(({ startedAt }) => startedAt);

describe("places for calls", () => {
  it.each([
    ["look", 20],
    ["push", 10],
    ["write", 1],
    ["delegate", 10],
  ] as const)("of %s are %i unless said otherwise", async (tool, size) => {
    const { spans } = await playPlan(repeat(size + 1, { tool, ms: 5 }));
    expect(startsOf(spans)).toEqual([...repeat(size, { tool, ms: 5 }).map(() => 0), 5]);
  });

  it("are as many as the limits say, each kind for itself", async () => {
    const pools = { read: 3, serial: 2, concurrent: 1 };
    for (const [tool, starts] of [
      ["look", [0, 0, 0, 4]],
      ["write", [0, 0, 4, 4]],
      ["push", [0, 4, 8, 12]],
    ] as const) {
      const { spans } = await playPlan(repeat(4, { tool, ms: 4 }), { pools });
      expect(startsOf(spans)).toEqual(starts);
    }
  });

  it.each([["look"], ["push"], ["delegate"]] as const)(
    "of one tool (%s) are no more than its own limit",
    async (tool) => {
      const { spans } = await playPlan(repeat(5, { tool, ms: 10 }), { caps: { [tool]: 2 } });
      expect(startsOf(spans)).toEqual([0, 0, 10, 10, 20]);
    },
  );

  it("of one tool leave those of others alone", async () => {
    const plan = (["send", "push", "send", "push"] as const).map((tool): PlannedCall => ({ tool, ms: 10 }));
    const { spans } = await playPlan(plan, { caps: { send: 1 } });
    const bySpan = spans.map(({ index, startedAt }) => [index, startedAt]).toSorted();
    expect(bySpan).toEqual([
      [0, 0],
      [1, 0],
      [2, 10],
      [3, 0],
    ]);
  });

  it("are not taken by calls of a limited tool that wait for their own", async () => {
    const plan: PlannedCall[] = [...repeat(3, { tool: "send", ms: 30 }), { tool: "push", ms: 5 }];
    const { spans } = await playPlan(plan, { caps: { send: 1 }, pools: { read: 1, serial: 1, concurrent: 2 } });
    expect(spans.find(({ toolId }) => toolId === "push")?.startedAt).toBe(0);
  });

  it("are given in the order in which the model asked", async () => {
    const plan = [5, 1, 4, 2, 3].map((ms): PlannedCall => ({ tool: "push", ms }));
    const { spans } = await playPlan(plan, { pools: { read: 1, serial: 1, concurrent: 2 } });
    expect(spans.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4]);
    expect(startsOf(spans)).toEqual([0, 0, 1, 5, 5]);
  });

  it("are given in that order also when only some of the tools are limited", async () => {
    const plan = (["send", "push", "send"] as const).map((tool): PlannedCall => ({ tool, ms: 10 }));
    const { spans } = await playPlan(plan, { caps: { send: 5 }, pools: { read: 1, serial: 1, concurrent: 1 } });
    expect(spans.map(({ index }) => index)).toEqual([0, 1, 2]);
  });

  it("belong to one tree of agents: another run has its own", async () => {
    const plan = repeat(1, { tool: "write", ms: 10 });
    const stage = await openStage({ plan });
    const input = JSON.stringify(plan);
    const runs = await Promise.all(
      ["x", "y"].map((threadId) => stage.runtime.start({ agent: "agent", threadId, input })),
    );
    for (const run of runs) await stage.play(run.outcome());
    expect(startsOf(stage.spans)).toEqual([0, 0]);
  });
});

describe("a place is given back", () => {
  const pools = { read: 1, serial: 1, concurrent: 1 };
  const caps = { look: 1, push: 1 };

  it.each(["look", "write", "push"] as const)("after a failure (%s)", async (tool: ToolName) => {
    const plan: PlannedCall[] = [
      { tool, ms: 5, end: "throws" },
      { tool, ms: 5 },
    ];
    const { shown } = await playPlan(plan, { pools, caps });
    expect(shown).toEqual([`${tool} 0-5 threw`, `${tool} 5-10 returned`]);
  });

  it.each(["look", "write", "push"] as const)("after a question (%s)", async (tool: ToolName) => {
    const plan: PlannedCall[] = [
      { tool, ms: 5, end: "asks" },
      { tool, ms: 5 },
    ];
    const { shown, outcome } = await playPlan(plan, { pools, caps });
    expect(shown).toEqual([`${tool} 0-5 asked`, `${tool} 5-10 returned`]);
    expect(outcome).toMatchObject({ status: "waiting" });
  });

  it.each(["look", "write", "push"] as const)("after a time-out (%s)", async (tool: ToolName) => {
    const stage = await openStage({
      plan: [
        { tool, ms: 0, end: "stays" },
        { tool, ms: 5 },
      ],
      pools,
      caps,
    });
    const run = await stage.start();
    await stage.play(stage.at(60_000, () => undefined));
    expect(await stage.play(run.outcome())).toMatchObject({ status: "done" });
    expect(describeSpans(stage)).toEqual([`${tool} 0-60000 stopped`, `${tool} 60000-60005 returned`]);
    expect((await reportRound(stage, run)).statuses).toEqual(["failed", "succeeded"]);
  });

  it("in a tree after the run below was cancelled", async () => {
    const below: PlannedCall[] = [{ tool: "write", ms: 0, end: "stays" }];
    const plan: PlannedCall[] = [
      { tool: "delegate", ms: 1, below: [below] },
      { tool: "write", ms: 5 },
    ];
    const stage = await openStage({ plan, pools });
    const run = await stage.start();
    await stage.play(
      stage.at(10, async () => {
        const [child] = (await stage.runtime.runs({ parentRunId: run.id })).items;
        await (await stage.runtime.run(child?.run_id ?? "")).cancel();
      }),
    );
    expect(await stage.play(run.outcome())).toMatchObject({ status: "done" });
    expect(describeSpans(stage)).toEqual(["delegate 0-10 returned", "write 1-10 stopped", "write 10-15 returned"]);
  });

  it("in a tree after the run above was cancelled, to those that continue", async () => {
    const below = (ms: number): readonly PlannedCall[] => [{ tool: "write", ms }];
    const plan: PlannedCall[] = [{ tool: "delegate", ms: 0, below: [below(50), below(5)] }];
    const stage = await openStage({ plan, pools });
    const run = await stage.start();
    await stage.play(stage.at(10, () => run.cancel()));
    await stage.play(run.outcome());
    for (const { run_id } of (await stage.runtime.runs({ parentRunId: run.id })).items) {
      expect(await stage.play((await stage.runtime.run(run_id)).outcome())).toMatchObject({ status: "done" });
    }
    expect(stage.spans.filter(({ toolId }) => toolId === "write").map(({ end }) => end)).toEqual([
      "returned",
      "returned",
    ]);
  });

  it("in a tree after every call, also a failed one, to who came next", async () => {
    const plan: PlannedCall[] = [
      {
        tool: "delegate",
        ms: 0,
        below: [
          [
            { tool: "write", ms: 5 },
            { tool: "write", ms: 5, end: "throws" },
          ],
          [{ tool: "write", ms: 5 }],
        ],
      },
    ];
    const { spans, outcome } = await playPlan(plan, { pools });
    expect(outcome).toMatchObject({ status: "done" });
    expect(startsOf(spans.filter(({ toolId }) => toolId === "write"))).toEqual([0, 5, 10]);
  });
});

describe("a run that is cancelled", () => {
  it("does not wait for a place that another run of its tree holds", async () => {
    const below: readonly PlannedCall[] = [{ tool: "write", ms: 50 }];
    const stage = await openStage({ plan: [{ tool: "delegate", ms: 0, below: [below, below] }] });
    const run = await stage.start();
    await stage.play(stage.at(10, () => undefined));
    const [write] = stage.spans.filter(({ toolId }) => toolId === "write");
    const waiting = [...stage.runs.keys()].find((id) => id !== run.id && id !== write?.runId) ?? "";
    const cancelled = await stage.runtime.run(waiting);
    await cancelled.cancel();
    expect(await soon(cancelled.outcome())).toMatchObject({ status: "cancelled" });
    expect(stage.env.clock.mono()).toBe(10);
    expect(await stage.play(run.outcome())).toMatchObject({ status: "done" });
    expect(describeSpans(stage)).toEqual(["delegate 0-50 returned", "write 0-50 returned"]);
  });
});

describe("a pool without places", () => {
  it.each(["read", "serial", "concurrent"] as const)("is refused when the runtime is made (%s)", async (pool) => {
    const pools = { read: 1, serial: 1, concurrent: 1, [pool]: 0 };
    await expect(openStage({ plan: [], pools })).rejects.toThrow(pool);
  });

  it.each([0, -1, 1.5])("is refused as the limit of a tool (%d)", async (max) => {
    await expect(openStage({ plan: [{ tool: "send", ms: 1 }], caps: { send: max } })).rejects.toThrow();
  });
});
