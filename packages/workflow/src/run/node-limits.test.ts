import { createFakeEnv } from "@reprise/testkit";
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

it("a rate limit lets so many start in any period", async () => {
  const env = createFakeEnv();
  const limits = new NodeLimits();
  const admit = () => limits.admit("key", { limit: 2, period_ms: 1_000 }, env.clock, SIGNAL);
  const starts = [admit(), admit(), admit()];
  expect(await isOver(Promise.all(starts.slice(0, 2)))).toBe(true);
  expect(await isOver(Promise.all(starts))).toBe(false);
  await env.advance(1_001);
  expect(await isOver(Promise.all(starts))).toBe(true);
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
