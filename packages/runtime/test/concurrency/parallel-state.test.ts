import type { ToolContext } from "@reprise/contracts";
import {
  applyPatches,
  defineState,
  flag,
  type GCounter,
  gCounter,
  gCounterIncrement,
  gCounterValue,
  getAt,
  gSet,
  maxReg,
  minReg,
} from "@reprise/state";
import { describe, expect, it } from "vitest";
import { createWorld, openRuntime } from "../support/open-runtime.ts";
import { settle } from "../support/wait.ts";
import type { PlannedCall } from "./support/plan.ts";
import { reportRound } from "./support/report.ts";
import { openStage, type StageOptions } from "./support/stage.ts";

const board = defineState({
  path: "board",
  initial: (): Record<string, number> => ({}),
  actions: { put: (places, place: string, value: number) => ({ ...places, [place]: value }) },
});

const list = defineState({
  path: "list",
  initial: (): string[] => [],
  actions: { add: (items, item: string) => [...items, item] },
});

const tally = defineState({
  path: "tally",
  initial: () => ({ seen: [] as readonly string[], count: {} as GCounter, top: 0, low: 100, isHot: false }),
  fields: {
    seen: { lattice: gSet },
    count: { lattice: gCounter },
    top: { lattice: maxReg },
    low: { lattice: minReg },
    isHot: { lattice: flag },
  },
  actions: {
    note: (state, name: string, amount: number) => ({
      ...state,
      seen: [...state.seen, name],
      count: { ...state.count, ...gCounterIncrement(state.count, name, amount) },
      top: Math.max(state.top, amount),
      low: Math.min(state.low, amount),
    }),
    see: (state, name: string) => ({ ...state, seen: [...state.seen, name] }),
    warm: (state) => ({ ...state, isHot: true }),
  },
});

/** A field that merges beside one that does not. */
const mixed = defineState({
  path: "mixed",
  initial: () => ({ seen: [] as readonly string[], plain: 0 }),
  fields: { seen: { lattice: gSet } },
  actions: {
    see: (state, name: string) => ({ ...state, seen: [...state.seen, name] }),
    set: (state, plain: number) => ({ ...state, plain }),
  },
});

type Act = NonNullable<StageOptions["act"]>;

/** Plays calls that run at the same time; each does to the state what `act` says. */
async function playTogether(keys: readonly string[], act: Act, options: Partial<StageOptions> = {}) {
  const plan = keys.map((key, index): PlannedCall => ({ tool: "push", ms: 10 + index, key }));
  return playPlan(plan, act, options);
}

async function playPlan(plan: readonly PlannedCall[], act: Act, options: Partial<StageOptions> = {}) {
  const world = options.world ?? createWorld();
  const stage = await openStage({ plan, act, ...options, world });
  const run = await stage.start();
  const outcome = await stage.play(run.outcome());
  const report = await reportRound(stage, run);
  return { ...stage, ...report, run, outcome, state: await stage.runtime.threads.state("t1") };
}

const putAt =
  (place: string, value: number) =>
  (_: PlannedCall, { state }: ToolContext) =>
    state.apply(board.put(place, value));

describe("calls that overlap and change the same place", () => {
  it("fail the run, which names both calls and the place, and keep what was committed", async () => {
    const plan: PlannedCall[] = [
      { tool: "write", ms: 1, key: "b" },
      { tool: "push", ms: 10, key: "a" },
      { tool: "push", ms: 20, key: "a" },
    ];
    const { outcome, events, statuses, calls, state } = await playPlan(plan, ({ key = "", ms }, { state }) =>
      state.apply(board.put(key, ms)),
    );
    expect(outcome).toMatchObject({ status: "failed", run: { status: "done", termination_code: "error" } });
    const [, first, second] = calls.map(({ call_id }) => call_id);
    const message = outcome.status === "failed" ? outcome.error : "";
    for (const part of [first, second, "board.a", "push"]) expect(message).toContain(part);
    const error = events.find(({ type }) => type === "error");
    expect(error).toMatchObject({ data: { code: "PATCH_CONFLICT", message } });
    expect(statuses).toEqual(["succeeded", "succeeded", "cancelled"]);
    expect(board.read(state)).toEqual({ a: 10, b: 1 });
  });

  it("never lose an update: who counts up from the same number conflicts", async () => {
    const counter = defineState({
      path: "counter",
      initial: () => ({ count: 0 }),
      actions: { up: ({ count }) => ({ count: count + 1 }) },
    });
    const setUp: PlannedCall = { tool: "write", ms: 1 };
    for (const first of [[], [setUp]]) {
      const both: PlannedCall[] = [
        { tool: "push", ms: 10 },
        { tool: "push", ms: 20 },
      ];
      const { outcome } = await playPlan([...first, ...both], (_, { state }) => state.apply(counter.up()));
      expect(outcome).toMatchObject({ status: "failed", error: expect.stringContaining("counter") });
    }
  });

  it("fail the run as well when they end at the same time, and nothing of them is kept", async () => {
    const plan: PlannedCall[] = [
      { tool: "push", ms: 10 },
      { tool: "push", ms: 10 },
    ];
    const { outcome, state, statuses, results } = await playPlan(plan, putAt("a", 1));
    expect(outcome).toMatchObject({ status: "failed" });
    expect(results.every((result) => result !== undefined)).toBe(true);
    expect(statuses).toContain("cancelled");
    const kept = statuses.includes("succeeded") ? { a: 1 } : {};
    expect(board.read(state)).toEqual(kept);
  });

  it("fail the run when one changes what lies below the other's place", async () => {
    const whole = defineState({
      path: "board",
      initial: (): Record<string, number> => ({}),
      actions: { replace: (_, value: number) => ({ z: value }) },
    });
    const { outcome } = await playTogether(
      ["deep", "whole"],
      ({ key }, { state }) => state.apply(key === "deep" ? board.put("a", 1) : whole.replace(2)),
      {},
    );
    expect(outcome).toMatchObject({ status: "failed", error: expect.stringContaining("board") });
  });

  it("stop the others that still run", async () => {
    const plan: PlannedCall[] = [
      { tool: "push", ms: 10, key: "a" },
      { tool: "push", ms: 11, key: "a" },
      { tool: "push", ms: 500, key: "b" },
    ];
    const { spans, statuses } = await playPlan(plan, ({ key = "" }, { state }) => state.apply(board.put(key, 1)));
    expect(spans[2]).toMatchObject({ end: "stopped", endedAt: 11 });
    expect(statuses).toEqual(["succeeded", "cancelled", "cancelled"]);
  });

  it("leave a thread that the next run can use", async () => {
    const { runtime, outcome } = await playTogether(["a", "a"], putAt("a", 1));
    expect(outcome).toMatchObject({ status: "failed" });
    const next = await runtime.start({ agent: "agent", threadId: "t1", input: "[]" });
    expect(await next.outcome()).toMatchObject({ status: "done" });
  });

  it("do not conflict when one of them failed: it changed nothing", async () => {
    const plan: PlannedCall[] = [
      { tool: "push", ms: 10, end: "throws" },
      { tool: "push", ms: 20 },
    ];
    const { outcome, state, statuses } = await playPlan(plan, putAt("a", 7));
    expect([outcome.status, statuses, board.read(state)]).toEqual(["done", ["failed", "succeeded"], { a: 7 }]);
  });

  it("do not conflict when the pool let them in one after the other", async () => {
    const { outcome, state } = await playTogether(
      ["x", "y", "z"],
      ({ key = "" }, { state }) => state.apply(list.add(key)),
      { pools: { read: 1, serial: 1, concurrent: 1 } },
    );
    expect(outcome).toMatchObject({ status: "done" });
    expect(list.read(state)).toEqual(["x", "y", "z"]);
  });

  it("do not conflict when one began after the other was settled, though a third overlapped with both", async () => {
    const plan: PlannedCall[] = [
      { tool: "push", ms: 50, key: "long" },
      { tool: "push", ms: 10, key: "x" },
      { tool: "push", ms: 10, key: "y" },
    ];
    const act: Act = ({ key = "" }, { state }) => {
      if (key !== "long") state.apply(list.add(key));
    };
    const { outcome, state } = await playPlan(plan, act, { pools: { read: 1, serial: 1, concurrent: 2 } });
    expect(outcome).toMatchObject({ status: "done" });
    expect(list.read(state)).toEqual(["x", "y"]);
  });

  it("conflict also when one of them was approved while the other ran", async () => {
    const plan: PlannedCall[] = [
      { tool: "push", ms: 5, key: "a", end: "approval" },
      { tool: "push", ms: 30, key: "a" },
    ];
    const stage = await openStage({ plan, act: ({ key = "" }, { state }) => state.apply(board.put(key, 1)) });
    const run = await stage.start();
    await stage.play(stage.at(10, () => stage.runtime.decisions.decide(`${run.id}-s1-c0`, { action: "approve" })));
    expect(await stage.play(run.outcome())).toMatchObject({ status: "failed" });
    expect((await reportRound(stage, run)).statuses).toEqual(["succeeded", "cancelled"]);
  });
});

describe("calls that overlap and change different places", () => {
  it("keep both changes, in whatever order they end", async () => {
    for (const [first, second] of [
      [10, 20],
      [20, 10],
      [10, 10],
    ] as const) {
      const plan: PlannedCall[] = [
        { tool: "push", ms: first, key: "a" },
        { tool: "push", ms: second, key: "b" },
      ];
      // The state is there already: who creates it, changes it whole.
      const setUp: PlannedCall = { tool: "write", ms: 1, key: "c" };
      const { outcome, state } = await playPlan([setUp, ...plan], ({ key = "" }, { state }) =>
        state.apply(board.put(key, 1)),
      );
      expect(outcome).toMatchObject({ status: "done" });
      expect(board.read(state)).toEqual({ a: 1, b: 1, c: 1 });
    }
  });

  it("each saw the state at its own beginning, and neither saw the other's change", async () => {
    const seen: Record<string, unknown> = {};
    await playTogether(["a", "b"], ({ key = "" }, { state }) => {
      seen[key] = state.at(["list"]);
      state.apply(key === "a" ? list.add("a") : board.put("b", 1));
    });
    expect(seen).toEqual({ a: undefined, b: undefined });
  });
});

describe("calls that overlap in fields that merge", () => {
  const note: Act = ({ key = "", ms }, { state }) => state.apply(tally.note(key, ms));

  it("are merged, and a fresh process reads the same without the code that merged", async () => {
    const world = createWorld();
    const { outcome, state } = await playTogether(["a", "b", "c"], note, { world });
    expect(outcome).toMatchObject({ status: "done" });
    const merged = tally.read(state);
    expect(merged).toMatchObject({ seen: ["a", "b", "c"], top: 12, low: 10, isHot: false });
    expect(gCounterValue(merged.count)).toBe(33);

    const fresh = await openRuntime({ world });
    expect(await fresh.runtime.threads.state("t1")).toEqual(state);
    const versions = await fresh.tenant.readPatches("t1", 0);
    const folded = applyPatches(
      {},
      versions.flatMap(({ patches }) => patches),
    );
    expect(getAt(folded, ["tally"])).toEqual(getAt(state, ["tally"]));
  });

  it("are merged also when a call changes the same field twice", async () => {
    const { state } = await playTogether(["a", "b"], ({ key = "" }, { state }) => {
      state.apply(tally.see(`${key}1`));
      state.apply(tally.see(`${key}2`));
    });
    expect(tally.read(state).seen.toSorted()).toEqual(["a1", "a2", "b1", "b2"]);
  });

  it("are merged with what stands there from before", async () => {
    const plan: PlannedCall[] = [
      { tool: "write", ms: 1, key: "old" },
      { tool: "push", ms: 20, key: "a" },
      { tool: "push", ms: 10, key: "b" },
      { tool: "write", ms: 1, key: "new" },
    ];
    const { state } = await playPlan(plan, ({ key = "" }, { state }) => state.apply(tally.see(key)));
    expect(tally.read(state).seen.toSorted()).toEqual(["a", "b", "new", "old"]);
  });

  it("let a flag be raised by both", async () => {
    const { outcome, state } = await playTogether(["a", "b"], (_, { state }) => state.apply(tally.warm()));
    expect([outcome.status, tally.read(state).isHot]).toEqual(["done", true]);
  });

  it("conflict in a field of the same state that does not merge", async () => {
    const { outcome } = await playTogether(["a", "b"], ({ ms }, { state }) => state.apply(mixed.set(ms)));
    expect(outcome).toMatchObject({ status: "failed", error: expect.stringContaining("mixed.plain") });
  });

  it("do not conflict in fields that neither of them changed, also when both were the first to write", async () => {
    const { outcome, state } = await playTogether(["a", "b"], ({ key = "" }, { state }) => state.apply(mixed.see(key)));
    expect([outcome.status, mixed.read(state)]).toEqual(["done", { seen: ["a", "b"], plain: 0 }]);
  });

  it("tell clients changes that add up to the state", async () => {
    const { events, state } = await playTogether(["a", "b", "c"], note);
    const deltas = events.flatMap((event) => (event.type === "state_delta" ? event.data.delta : []));
    const told = deltas
      .filter(({ path }) => path === "/tally/seen")
      .map((delta) => ("value" in delta ? delta.value : 0));
    expect(told.at(-1)).toEqual(tally.read(state).seen);
  });
});

describe("a call that waited for a place", () => {
  it("sees what the one before left there, also when that could not be settled at once", async () => {
    const seen: Record<string, unknown> = {};
    const plan: PlannedCall[] = [
      { tool: "push", ms: 5, key: "x" },
      { tool: "push", ms: 10, key: "y" },
      { tool: "push", ms: 100, key: "z" },
      { tool: "push", ms: 1, key: "w" },
    ];
    const stage = await openStage({
      plan,
      pools: { read: 1, serial: 1, concurrent: 2 },
      act: ({ key = "" }, { state }) => {
        seen[key] = state.get(list);
        if (key === "y") state.apply(list.add("y"));
      },
    });
    const run = await stage.start();
    await stage.play(stage.at(4, () => undefined));
    const committing = stage.env.faults.hold("commit:before");
    // The result of x is on its way to the store, and takes its time; meanwhile y ends.
    await stage.play(stage.at(20, () => undefined));
    expect(Object.keys(seen)).toEqual(["x", "y", "z"]);
    committing.release();
    await stage.play(run.outcome());
    expect(seen).toEqual({ x: [], y: [], z: [], w: ["y"] });
  });
});

describe("calls that write one after the other", () => {
  it("each see what the one before left, and never conflict", async () => {
    const seen: unknown[] = [];
    const plan = ["a", "b", "c"].map((key): PlannedCall => ({ tool: "write", ms: 5, key }));
    const { outcome, state } = await playPlan(plan, ({ key = "" }, { state }) => {
      seen.push(state.get(list));
      state.apply(list.add(key));
    });
    expect(outcome).toMatchObject({ status: "done" });
    expect(seen).toEqual([[], ["a"], ["a", "b"]]);
    expect(list.read(state)).toEqual(["a", "b", "c"]);
  });

  it("do not see what a failed one did", async () => {
    const seen: unknown[] = [];
    const plan: PlannedCall[] = [
      { tool: "write", ms: 5, key: "a", end: "throws" },
      { tool: "write", ms: 5, key: "b" },
    ];
    await playPlan(plan, ({ key = "" }, { state }) => {
      seen.push(state.get(list));
      state.apply(list.add(key));
    });
    expect(seen).toEqual([[], []]);
  });

  it("are no longer shown to others once they are over", async () => {
    const late: unknown[] = [];
    const plan: PlannedCall[] = [{ tool: "write", ms: 1, key: "a" }];
    let change: (() => void) | undefined;
    await playPlan(plan, (_, { state }) => {
      change = () => state.apply(list.add("late"));
    });
    await settle();
    try {
      change?.();
    } catch (error) {
      late.push(error);
    }
    expect(late).toMatchObject([{ code: "INVALID_REQUEST" }]);
  });
});
