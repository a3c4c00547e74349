import type { RunHandle } from "@reprise/runtime";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { assertConsistent } from "./support/assert-consistent.ts";
import { createFlakyStore, type Weather } from "./support/flaky-store.ts";
import { createWorld, openRuntime } from "./support/open-runtime.ts";
import { countingTool, notes } from "./support/tools.ts";
import { settle } from "./support/wait.ts";

const SCRIPT = [
  [
    { call: "safe", arguments: { title: "safe" } },
    { call: "ask", arguments: { title: "ask" } },
  ],
  "The end.",
] as const;

/** Tries until the store was there. */
async function insist<Value>(work: () => Promise<Value>): Promise<Value> {
  for (let attempt = 1; attempt < 60; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Error) || !("code" in error) || error.code !== "STORE_UNAVAILABLE") throw error;
    }
  }
  throw new Error("The store never came back.");
}

/** Plays a conversation with an approval while the store comes and goes, then lets it be. */
async function playIn(weather: Weather): Promise<void> {
  const world = createWorld();
  let isOver = false;
  const store = createFlakyStore(world.store, (operation) => (isOver ? "fine" : weather(operation)));
  const safe = countingTool({ id: "safe", idempotent: true });
  const ask = countingTool({ id: "ask", needsApproval: true });
  const script = ({ messages }: { messages: readonly { role: string }[] }) =>
    SCRIPT[Math.min(messages.filter(({ role }) => role === "assistant").length, 1)] ?? "";
  const { runtime, env, tenant } = await openRuntime({ world, store, script, tools: [safe.tool, ask.tool] });

  const messages = [{ role: "user", content: "go" }] as const;
  const run: RunHandle = await insist(() =>
    runtime.submit({ agent_id: "agent", thread_id: "t1", run_id: "r1", messages }),
  );
  const answered = new Set<string>();
  for (let second = 0; second < 150; second += 1) {
    await settle(4);
    if ((await tenant.loadRun(run.id))?.status === "done") break;
    for (const { call_id, suspension, ticket } of (await tenant.listCalls({ status: "suspended" })).items) {
      if (answered.has(`${call_id} ${suspension}`)) continue;
      answered.add(`${call_id} ${suspension}`);
      const isApproval = ticket?.suspension.action === "approval";
      await insist(() =>
        runtime.decisions.decide(call_id, isApproval ? { action: "approve" } : { action: "supply", result: "done" }),
      );
    }
    await env.advance(1_000);
    if (second === 60) isOver = true;
  }
  isOver = true;
  await settle();
  expect(await tenant.loadRun(run.id)).toMatchObject({ status: "done", termination_code: "natural" });
  expect(ask.keys.length).toBeLessThanOrEqual(1);
  expect(new Set(safe.keys).size).toBe(1);
  const kept = notes.read(await runtime.threads.state("t1"));
  expect(new Set(kept).size).toBe(kept.length);
  expect(kept).toContain("safe");
  await assertConsistent(tenant, "t1");
}

describe("a store that comes and goes", () => {
  it("costs time, and neither a message nor an effect", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom("fine", "fine", "fine", "fails", "loses_answer"), { minLength: 20, maxLength: 200 }),
        async (fates) => {
          let next = 0;
          await playIn((operation) => {
            const fate = fates[next++] ?? "fine";
            // A claim without an owner is an owner lost, and several of those are poison, as they should be.
            return operation === "claim" && fate === "loses_answer" ? "fails" : fate;
          });
        },
      ),
      { numRuns: 60 },
    );
  });

  it("may be away for ten seconds at any moment", async () => {
    for (let from = 0; from < 40; from += 1) {
      let count = 0;
      await playIn(() => {
        count += 1;
        return count >= from && count < from + 12 ? "fails" : "fine";
      });
    }
  });
});
