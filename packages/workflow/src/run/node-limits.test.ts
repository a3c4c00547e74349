import { createFakeEnv } from "@reprise/testkit";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { WorkflowNode } from "../document/workflow-document.ts";
import { admitNode, NodeLimits } from "./node-limits.ts";

const SIGNAL = new AbortController().signal;

/** Whether something is over once everything that is ready has run. */
async function isOver(waiting: Promise<unknown>): Promise<boolean> {
  let over = false;
  void waiting.then(() => (over = true));
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
  return over;
}

it("a slot that is given back belongs to whoever waited for it, and to nobody who comes later", async () => {
  const limits = new NodeLimits();
  const [first, second] = [limits.acquire("key", 1, SIGNAL), limits.acquire("key", 1, SIGNAL)];
  (await first)();
  const release = await second;
  const third = limits.acquire("key", 1, SIGNAL);
  expect(await isOver(third)).toBe(false);
  release();
  expect(await isOver(third)).toBe(true);
});

it("a slot is given back once, and keys do not know each other", async () => {
  const limits = new NodeLimits();
  const release = await limits.acquire("key", 1, SIGNAL);
  expect(await isOver(limits.acquire("other", 1, SIGNAL))).toBe(true);
  release();
  release();
  await limits.acquire("key", 1, SIGNAL);
  expect(await isOver(limits.acquire("key", 1, SIGNAL))).toBe(false);
});

it("whoever gives up waiting leaves the slot to the next", async () => {
  const limits = new NodeLimits();
  const release = await limits.acquire("key", 1, SIGNAL);
  const controller = new AbortController();
  const impatient = limits.acquire("key", 1, controller.signal);
  const patient = limits.acquire("key", 1, SIGNAL);
  controller.abort(new Error("Enough."));
  await expect(impatient).rejects.toThrow("Enough.");
  release();
  expect(await isOver(patient)).toBe(true);
});

it("a slot whose next holder gives up at that moment is not lost", async () => {
  const limits = new NodeLimits();
  const release = await limits.acquire("key", 1, SIGNAL);
  const controller = new AbortController();
  const impatient = limits.acquire("key", 1, controller.signal);
  release();
  controller.abort(new Error("Enough."));
  await impatient.then(
    (giveBack) => giveBack(),
    () => undefined,
  );
  expect(await isOver(limits.acquire("key", 1, SIGNAL))).toBe(true);
});

it("a rate limit lets so many start in any period, and gives the others a time each", () => {
  const limits = new NodeLimits();
  const start = (now: number) => limits.start("key", { limit: 2, period_ms: 1_000 }, now);
  expect([start(0), start(100), start(200), start(300), start(400)]).toEqual([0, 0, 800, 800, 1_600]);
  expect([start(1_000), start(1_099), start(1_100)]).toEqual([0, expect.any(Number), 0]);
});

it("no period has more starts than the limit, whenever somebody comes or comes back", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 4 }), fc.array(fc.nat({ max: 2_000 }), { maxLength: 40 }), (limit, gaps) => {
      const limits = new NodeLimits();
      /** Who comes when: those that have to wait come back at their time. */
      const coming = gaps.map((gap, index) => gaps.slice(0, index).reduce((sum, each) => sum + each, gap));
      const starts: number[] = [];
      for (let turns = 0; coming.length > 0; turns += 1) {
        expect(turns).toBeLessThan((gaps.length + 2) ** 2);
        coming.sort((one, other) => one - other);
        const now = coming.shift() ?? 0;
        const wait = limits.start("key", { limit, period_ms: 1_000 }, now);
        if (wait === 0) starts.push(now);
        else coming.push(now + wait);
      }
      expect(starts).toHaveLength(gaps.length);
      for (const [index, at] of starts.entries()) {
        const earlier = starts[index - limit];
        if (earlier !== undefined) expect(at - earlier).toBeGreaterThanOrEqual(1_000);
      }
    }),
  );
});

it("a node waits in place for a time that is soon, and elsewhere for a later one", async () => {
  const env = createFakeEnv();
  const limits = new NodeLimits();
  const scope = { inputs: {}, ctx: {}, outputs: {}, locals: {} };
  const admit = (id: string, period_ms: number) => {
    const node: WorkflowNode = { id, type: "transform", expression: "1", rate_limit: { limit: 1, period_ms } };
    return admitNode(limits, {}, { workflowId: "w", node, scope }, { env, signal: SIGNAL });
  };
  await admit("soon", 10_000);
  const waiting = admit("soon", 10_000);
  expect(await isOver(waiting)).toBe(false);
  await env.advance(10_001);
  expect(await isOver(waiting)).toBe(true);
  await admit("late", 10_001);
  expect(await admit("late", 10_001)).toEqual({ waitMs: 10_001 });
});

it("nodes of different workflows that have the same id have limits of their own", async () => {
  const env = createFakeEnv();
  const limits = new NodeLimits();
  const node: WorkflowNode = {
    id: "call",
    type: "transform",
    expression: "1",
    concurrency: { key: "api", limit: 1 },
    rate_limit: { limit: 1, period_ms: 1_000 },
  };
  const scope = { inputs: {}, ctx: {}, outputs: {}, locals: {} };
  const admit = (workflowId: string) => admitNode(limits, {}, { workflowId, node, scope }, { env, signal: SIGNAL });
  expect(await isOver(admit("one"))).toBe(true);
  expect(await isOver(admit("other"))).toBe(true);
  expect(await isOver(admit("one"))).toBe(false);
});
