import { textOf } from "@reprise/contracts";
import { describe, expect, it } from "vitest";
import { assertConsistent } from "./support/assert-consistent.ts";
import { openRuntime } from "./support/open-runtime.ts";
import { countingTool, notes } from "./support/tools.ts";
import { gate, settle, soon, until } from "./support/wait.ts";

describe("a tool that continues after its end", () => {
  it("by keeping its context can change nothing", async () => {
    const contexts: { apply: () => void; report: () => void }[] = [];
    const { tool } = countingTool({
      execute: (_, context) => {
        contexts.push({
          apply: () => context.state.apply(notes.add("too late")),
          report: () => context.progress({ message: "too late" }),
        });
        return null;
      },
    });
    const { runtime, tenant } = await openRuntime({
      script: [[{ call: "add", arguments: { title: "x" } }], "ok"],
      tools: [tool],
    });
    const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    await run.outcome();
    expect(() => contexts[0]?.apply()).toThrow(expect.objectContaining({ code: "INVALID_REQUEST" }));
    expect(() => contexts[0]?.report()).not.toThrow();
    expect(await runtime.threads.state("t1")).not.toHaveProperty("notes");
    await assertConsistent(tenant, "t1");
  });

  it("by never ending is left when its time is up, and told so", async () => {
    const stuck = gate<AbortSignal>();
    const { tool } = countingTool({
      timeoutMs: 5_000,
      execute: (_, { signal }) => {
        stuck.open(signal);
        return new Promise(() => undefined);
      },
    });
    const { runtime, env, model, tenant } = await openRuntime({
      script: [[{ call: "add", arguments: { title: "x" } }], "ok"],
      tools: [tool],
    });
    const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    const signal = await stuck.promise;
    await env.advance(4_999);
    expect(signal.aborted).toBe(false);
    await env.advance(1);
    expect(signal.aborted).toBe(true);
    expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "ok" });
    expect(textOf(model.requests[1]?.messages.at(-1) ?? { content: "" })).toContain("timeout");
    await assertConsistent(tenant, "t1");
  });

  it("cannot do anything after its time is up", async () => {
    const late = gate();
    const refusals: unknown[] = [];
    const { tool } = countingTool({
      timeoutMs: 1_000,
      execute: async (_, context) => {
        await late.promise;
        context.progress({ message: "too late" });
        context.queueMessage({ role: "user", content: "too late" });
        try {
          context.state.apply(notes.add("too late"));
        } catch (error) {
          refusals.push(error);
        }
      },
    });
    const { runtime, env, tenant } = await openRuntime({
      script: [[{ call: "add", arguments: { title: "x" } }], [{ text: "ok" }, { stall: true }], "unused"],
      tools: [tool],
      limits: { modelIdleTimeoutMs: null },
    });
    const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    await settle();
    await env.advance(1_000);
    await settle();
    const held = env.faults.hold("commit:before");
    await run.cancel();
    await held.reached;
    // While the end of the run is being committed.
    late.open();
    await settle();
    held.release();
    expect(await soon(run.outcome())).toMatchObject({ status: "cancelled" });
    expect(refusals).toHaveLength(1);
    const events = (await tenant.readEvents(run.id, 0)).flatMap((segment) => segment.events);
    expect(events.filter(({ type }) => type === "activity_snapshot")).toEqual([]);
    expect(JSON.stringify(await runtime.threads.messages("t1"))).not.toContain("too late");
    await assertConsistent(tenant, "t1");
  });

  it("by reporting progress during the commit of its timeout breaks nothing", async () => {
    const late = gate();
    const { tool } = countingTool({
      timeoutMs: 1_000,
      execute: async (_, context) => {
        await late.promise;
        context.progress({ message: "still here" });
      },
    });
    const { runtime, env, tenant } = await openRuntime({
      script: [[{ call: "add", arguments: { title: "x" } }], "ok"],
      tools: [tool],
    });
    const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    await until(() => env.faults.seen.includes("tool:before"), "the tool");
    await settle();
    const held = env.faults.hold("commit:before");
    await env.advance(1_000);
    await held.reached;
    late.open();
    await settle();
    held.release();
    expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "ok" });
    await assertConsistent(tenant, "t1");
  });
});
