import type { Store } from "@reprise/contracts";
import { describe, expect, it } from "vitest";
import { interceptStore } from "../support/intercept-store.ts";
import { createWorld, type World } from "../support/open-runtime.ts";
import { settle } from "../support/wait.ts";
import type { PlannedCall } from "./support/plan.ts";
import { describeSpans, reportRound } from "./support/report.ts";
import { openStage, type StageOptions } from "./support/stage.ts";

/** Plays a plan and cancels the run at a time. */
async function cancelAt(ms: number, plan: readonly PlannedCall[], options: Partial<StageOptions> = {}) {
  const stage = await openStage({ ...options, plan });
  const run = await stage.start();
  await stage.play(stage.at(ms, () => run.cancel("enough")));
  const outcome = await stage.play(run.outcome());
  const report = await reportRound(stage, run);
  const facts = report.events.flatMap((event) => (event.type === "tool_call_cancelled" ? [event.data] : []));
  return { ...stage, ...report, run, outcome, facts, shown: describeSpans(stage), endedAt: stage.env.clock.mono() };
}

const CANCELLED = expect.stringContaining('"code":"cancelled"');

describe("a call that may be stopped", () => {
  it("is stopped at once, with a status, a fact and a result", async () => {
    const { outcome, statuses, results, facts, shown, calls, events } = await cancelAt(5, [{ tool: "write", ms: 100 }]);
    expect(outcome).toMatchObject({ status: "cancelled" });
    expect([shown, statuses, results]).toEqual([["write 0-5 stopped"], ["cancelled"], [CANCELLED]]);
    expect(facts).toEqual([{ id: calls[0]?.call_id, reason: "cancelled" }]);
    const types = events.map(({ type }) => type).slice(-3);
    expect(types).toEqual(["tool_call_cancelled", "tool_call_done", "run_finish"]);
  });

  it("is stopped with all that run beside it, and those that wait for a place never begin", async () => {
    const plan = [3, 50, 50, 50].map((ms): PlannedCall => ({ tool: "push", ms }));
    const pools = { read: 1, serial: 1, concurrent: 2 };
    const { shown, statuses, results, facts, calls } = await cancelAt(5, plan, { pools });
    expect(shown).toEqual(["push 0-3 returned", "push 0-5 stopped", "push 3-5 stopped"]);
    expect(statuses).toEqual(["succeeded", "cancelled", "cancelled", "cancelled"]);
    expect(results).toEqual([calls[0]?.call_id, CANCELLED, CANCELLED, CANCELLED]);
    expect(facts.map(({ id }) => id)).toEqual(calls.slice(1).map(({ call_id }) => call_id));
  });

  it("leaves the calls of a later class without ever having begun", async () => {
    const { shown, statuses } = await cancelAt(5, [
      { tool: "look", ms: 10 },
      { tool: "write", ms: 1 },
      { tool: "look", ms: 1 },
    ]);
    expect(shown).toEqual(["look 0-5 stopped"]);
    expect(statuses).toEqual(["cancelled", "cancelled", "cancelled"]);
  });
});

describe("a call that is let finish", () => {
  it("comes to its own end and keeps its result, and then the run ends", async () => {
    const { outcome, shown, statuses, results, facts, calls, endedAt } = await cancelAt(5, [
      { tool: "push", ms: 40, when: "finish" },
      { tool: "push", ms: 50 },
    ]);
    expect(outcome).toMatchObject({ status: "cancelled" });
    expect(shown).toEqual(["push.finish 0-40 returned", "push 0-5 stopped"]);
    expect([statuses, results]).toEqual([
      ["succeeded", "cancelled"],
      [calls[0]?.call_id, CANCELLED],
    ]);
    expect(facts.map(({ id }) => id)).toEqual([calls[1]?.call_id]);
    expect(endedAt).toBe(40);
  });

  it("does not begin any more when it only waited for a place", async () => {
    const { shown, statuses, endedAt } = await cancelAt(5, [
      { tool: "write", ms: 40 },
      { tool: "write", ms: 40, when: "finish" },
    ]);
    expect(shown).toEqual(["write 0-5 stopped"]);
    expect([statuses, endedAt]).toEqual([["cancelled", "cancelled"], 5]);
  });

  it("keeps its failure as well", async () => {
    const { shown, statuses } = await cancelAt(5, [{ tool: "write", ms: 20, end: "throws", when: "finish" }]);
    expect([shown, statuses]).toEqual([["write.finish 0-20 threw"], ["failed"]]);
  });

  it("may not come back with a question, which would stay unanswered", async () => {
    const { outcome, statuses, results } = await cancelAt(5, [{ tool: "write", ms: 20, end: "asks", when: "finish" }]);
    expect([outcome.status, statuses, results]).toEqual(["cancelled", ["cancelled"], [CANCELLED]]);
  });

  it("does not get more time than its limit", async () => {
    const stage = await openStage({ plan: [{ tool: "write", ms: 0, end: "stays", when: "finish" }] });
    const run = await stage.start();
    await stage.play(stage.at(5, () => run.cancel()));
    await stage.play(stage.at(59_999, () => undefined));
    expect(stage.spans[0]?.end).toBeUndefined();
    await stage.play(stage.at(60_000, () => undefined));
    expect(await stage.play(run.outcome())).toMatchObject({ status: "cancelled" });
    const { statuses, results } = await reportRound(stage, run);
    expect([statuses, results]).toEqual([["failed"], [expect.stringContaining('"code":"timeout"')]]);
    expect(stage.spans[0]).toMatchObject({ end: "stopped", endedAt: 60_000 });
  });

  it("has its result committed while another still takes its time", async () => {
    const stage = await openStage({
      plan: [
        { tool: "push", ms: 10, when: "finish" },
        { tool: "push", ms: 30, when: "finish" },
      ],
    });
    const run = await stage.start();
    await stage.play(stage.at(5, () => run.cancel()));
    await stage.play(stage.at(20, () => undefined));
    const { items } = await stage.store.forTenant("default").listCalls({ run_id: run.id });
    expect(items.map(({ status }) => status).toSorted()).toEqual(["running", "succeeded"]);
    expect(await stage.play(run.outcome())).toMatchObject({ status: "cancelled" });
  });
});

describe("a call that holds the interruption off", () => {
  it("is waited for, and so is what runs beside it", async () => {
    const { outcome, shown, statuses, endedAt } = await cancelAt(5, [
      { tool: "push", ms: 30, when: "block" },
      { tool: "push", ms: 20 },
      { tool: "push", ms: 50 },
    ]);
    expect(outcome).toMatchObject({ status: "cancelled" });
    expect(shown).toEqual(["push.block 0-30 returned", "push 0-20 returned", "push 0-30 stopped"]);
    expect([statuses, endedAt]).toEqual([["succeeded", "succeeded", "cancelled"], 30]);
  });

  it("lets nothing of a later class begin", async () => {
    const { shown, statuses } = await cancelAt(5, [
      { tool: "write", ms: 30, when: "block" },
      { tool: "look", ms: 1 },
    ]);
    expect([shown, statuses]).toEqual([["write.block 0-30 returned"], ["succeeded", "cancelled"]]);
  });

  it("does not hold it off while it only waits for a place", async () => {
    const { shown, statuses, endedAt } = await cancelAt(5, [
      { tool: "write", ms: 40 },
      { tool: "write", ms: 40, when: "block" },
    ]);
    expect(shown).toEqual(["write 0-5 stopped"]);
    expect([statuses, endedAt]).toEqual([["cancelled", "cancelled"], 5]);
  });

  it("comes to its end whatever becomes of the calls that wait for a place meanwhile", async () => {
    const pools = { read: 1, serial: 1, concurrent: 2 };
    const plan: PlannedCall[] = [
      { tool: "push", ms: 40, when: "block" },
      { tool: "push", ms: 10 },
      { tool: "push", ms: 10 },
    ];
    const { spans, statuses } = await cancelAt(5, plan, { pools });
    expect(spans[0]).toMatchObject({ toolId: "push.block", end: "returned", endedAt: 40 });
    expect(statuses[0]).toBe("succeeded");
  });

  it("does not get more time than its limit", async () => {
    const stage = await openStage({
      plan: [
        { tool: "push", ms: 0, end: "stays", when: "block" },
        { tool: "push", ms: 0, end: "stays", when: "finish" },
      ],
    });
    const run = await stage.start();
    await stage.play(stage.at(5, () => run.cancel()));
    await stage.play(stage.at(60_000, () => undefined));
    expect(await stage.play(run.outcome())).toMatchObject({ status: "cancelled" });
    expect((await reportRound(stage, run)).statuses).toEqual(["failed", "failed"]);
  });
});

/** A store that no longer prolongs any claim once it is told. */
function losingStore(world: World): { readonly store: Store; readonly lose: () => void } {
  let isLost = false;
  const store = interceptStore(world.store, {
    operator: (inner) => ({ renew: async (claims, leaseMs) => (isLost ? [] : inner.renew(claims, leaseMs)) }),
  });
  return {
    store,
    lose: () => {
      isLost = true;
    },
  };
}

describe("a lost claim", () => {
  it.each(["cancel", "finish", "block"] as const)("stops a call also when it says %s", async (when) => {
    const world = createWorld();
    const { store, lose } = losingStore(world);
    const stage = await openStage({ plan: [{ tool: "write", ms: 0, end: "stays", when }], world: { ...world, store } });
    const run = await stage.start();
    await stage.play(stage.at(1, lose));
    await stage.play(stage.at(3_500, () => undefined));
    expect(stage.spans[0]).toMatchObject({ end: "stopped", endedAt: 3_000 });
    // It is given back by who lost it, and its next owner asks what became of the call.
    const calls = await world.store.forTenant("default").listCalls({ run_id: run.id });
    expect(calls.items.map(({ status, ticket }) => [status, ticket?.suspension.action])).toEqual([
      ["suspended", "unknown_outcome"],
    ]);
  });

  it.each(["finish", "block"] as const)("stops a call that says %s also after the run was cancelled", async (when) => {
    const world = createWorld();
    const { store, lose } = losingStore(world);
    const stage = await openStage({ plan: [{ tool: "write", ms: 0, end: "stays", when }], world: { ...world, store } });
    const run = await stage.start();
    await stage.play(stage.at(1, () => run.cancel()));
    await stage.play(stage.at(2, lose));
    await stage.play(stage.at(3_500, () => undefined));
    await settle();
    expect(stage.spans[0]).toMatchObject({ end: "stopped", endedAt: 3_000 });
  });
});
