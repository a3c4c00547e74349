import type { AgentEvent, Store } from "@reprise/contracts";
import { describe, expect, it } from "vitest";
import { interceptStore } from "./support/intercept-store.ts";
import { createWorld, openRuntime } from "./support/open-runtime.ts";
import { countingTool } from "./support/tools.ts";
import { gate, settle, typesOf } from "./support/wait.ts";

const DURABLE = ["tool_call_done", "step_end", "inference_complete", "run_finish", "tool_call_resumed"];

/** A store whose commits wait until they are let through, one by one. */
function blockCommits(store: Store): { store: Store; waiting: () => number; letThrough: () => void } {
  const gates: (() => void)[] = [];
  const blocked = interceptStore(store, {
    tenant: (inner) => ({
      async commit(changeset, guard) {
        const { promise, open } = gate();
        gates.push(() => open());
        await promise;
        return inner.commit(changeset, guard);
      },
    }),
  });
  return { store: blocked, waiting: () => gates.length, letThrough: () => gates.shift()?.() };
}

describe("what a reader sees", () => {
  it("shows text at once, and what must be durable only after its commit", async () => {
    const world = createWorld();
    const { store, waiting, letThrough } = blockCommits(world.store);
    const { tool } = countingTool({
      execute: (_, { progress }) => {
        progress({ progress: 1, total: 2 });
        return "fine";
      },
    });
    const { runtime, tenant } = await openRuntime({
      world,
      store,
      script: [[{ text: "Let me see. " }, { call: "add", arguments: { title: "x" } }], "Done."],
      tools: [tool],
    });
    const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    const shown: AgentEvent[] = [];
    const reading = (async () => {
      for await (const event of run.events()) shown.push(event);
    })();
    for (let commit = 1; commit <= 3; commit += 1) {
      await settle();
      expect(waiting(), `commit ${commit} waits`).toBe(1);
      const { last_seq } = await run.record();
      const early = shown.filter(({ seq = 0 }) => seq > last_seq);
      expect(typesOf(early).filter((type) => DURABLE.includes(type))).toEqual([]);
      expect(typesOf(early)).toContain(["tool_call_ready", "activity_snapshot", "text_delta"][commit - 1]);
      letThrough();
    }
    await reading;
    expect(shown.map(({ seq }) => seq)).toEqual(shown.map((_, index) => index + 1));
    expect(shown).toEqual((await tenant.readEvents(run.id, 0)).flatMap(({ events }) => events));
  });

  it("does not say that a call waits before that is durable", async () => {
    const world = createWorld();
    const { store, letThrough } = blockCommits(world.store);
    const { tool } = countingTool({ needsApproval: true });
    const { runtime } = await openRuntime({
      world,
      store,
      script: [[{ call: "add", arguments: { title: "x" } }]],
      tools: [tool],
    });
    const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    const shown: AgentEvent[] = [];
    const reading = (async () => {
      for await (const event of run.events()) shown.push(event);
    })();
    await settle();
    expect(typesOf(shown)).toContain("tool_call_ready");
    expect(typesOf(shown)).not.toContain("tool_call_done");
    expect(await runtime.decisions.list({ threadId: "t1" })).toEqual([]);
    letThrough();
    await reading;
    expect(await runtime.decisions.list({ threadId: "t1" })).toHaveLength(1);
    expect(typesOf(shown).slice(-2)).toEqual(["tool_call_done", "run_finish"]);
  });
});
