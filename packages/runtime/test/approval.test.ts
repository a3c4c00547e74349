import { textOf } from "@reprise/contracts";
import { describe, expect, it } from "vitest";
import { assertConsistent } from "./support/assert-consistent.ts";
import { openRuntime } from "./support/open-runtime.ts";
import { suspend } from "./support/suspend.ts";
import { countingTool } from "./support/tools.ts";
import { collect, soon } from "./support/wait.ts";

describe("a call that needs approval", () => {
  it("waits, and says for what", async () => {
    const { run, call, keys, tenant, model } = await suspend(["milk"]);
    expect(call).toMatchObject({
      run_id: run.id,
      thread_id: "t1",
      tool_id: "add",
      arguments: { title: "milk" },
      suspension: 1,
      binding_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      ticket: { suspension: { action: "approval" }, resume_mode: "replay_tool_call" },
    });
    expect(await run.record()).toMatchObject({ status: "waiting", termination_code: "input_required" });
    expect(keys).toEqual([]);
    expect(model.requests).toHaveLength(1);
    const done = (await collect(run)).find(({ type }) => type === "tool_call_done");
    expect(done).toMatchObject({
      data: { outcome: "suspended", suspended: { suspension: 1, binding_hash: call.binding_hash } },
    });
    await assertConsistent(tenant, "t1");
  });

  it("runs once when it is approved", async () => {
    const { runtime, run, call, keys, tenant, model } = await suspend(["milk"]);
    await runtime.decisions.decide(call.id, { action: "approve" });
    expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "ok" });
    expect(keys).toEqual([call.id]);
    expect(await runtime.threads.state("t1")).toMatchObject({ notes: ["milk"] });
    expect(model.requests).toHaveLength(2);
    expect(await runtime.decisions.list()).toEqual([]);
    expect(await tenant.loadCall(run.id, call.id)).not.toHaveProperty("ticket");
    await assertConsistent(tenant, "t1");
  });

  it("never runs when it is denied, and the model is told why", async () => {
    const { runtime, run, call, keys, tenant, model } = await suspend();
    await runtime.decisions.decide(call.id, { action: "deny", reason: "Too dear." });
    expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "ok" });
    expect(keys).toEqual([]);
    const told = textOf(model.requests[1]?.messages.at(-1) ?? { content: "" });
    expect(told).toContain("denied");
    expect(told).toContain("Too dear.");
    expect((await tenant.loadCall(run.id, call.id))?.status).toBe("cancelled");
    await assertConsistent(tenant, "t1");
  });

  it("runs with the edited arguments", async () => {
    const { runtime, run, call, keys, tenant } = await suspend(["milk"]);
    await runtime.decisions.decide(call.id, { action: "edit", arguments: { title: "oat milk" } });
    expect(await soon(run.outcome())).toMatchObject({ status: "done" });
    expect(keys).toEqual([call.id]);
    expect(await runtime.threads.state("t1")).toMatchObject({ notes: ["oat milk"] });
    const row = await tenant.loadCall(run.id, call.id);
    expect(row?.arguments).toEqual({ title: "oat milk" });
    expect(row?.binding_hash).not.toBe(call.binding_hash);
    await assertConsistent(tenant, "t1");
  });

  it.each([
    ["of the wrong type", { title: 5 }, "INVALID_ARGUMENTS"],
    ["that are null", null, "INVALID_ARGUMENTS"],
    [
      "with a key that reaches the prototype",
      JSON.parse('{"title":"x","__proto__":{"admin":true}}'),
      "INVALID_REQUEST",
    ],
  ])("does not run with edited arguments %s", async (_, edited, code) => {
    const { runtime, run, call, keys, tenant } = await suspend();
    const decided = runtime.decisions.decide(call.id, { action: "edit", arguments: edited });
    await expect(decided).rejects.toMatchObject({ code });
    await runtime.decisions.decide(call.id, { action: "deny" });
    expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "ok" });
    expect(keys).toEqual([]);
    await assertConsistent(tenant, "t1");
  });

  it.each([[{ done: true }], [null], ["text"], [0], [false]])(
    "takes the supplied result %j without running",
    async (result) => {
      const { runtime, run, call, keys, tenant, model } = await suspend();
      await runtime.decisions.decide(call.id, { action: "supply", result });
      expect(await soon(run.outcome())).toMatchObject({ status: "done" });
      expect(keys).toEqual([]);
      const told = textOf(model.requests[1]?.messages.at(-1) ?? { content: "" });
      expect(told).toBe(typeof result === "string" ? result : JSON.stringify(result));
      expect((await tenant.loadCall(run.id, call.id))?.status).toBe("succeeded");
      await assertConsistent(tenant, "t1");
    },
  );

  it("only for the arguments its rule picks", async () => {
    const asked: string[] = [];
    const { tool, keys } = countingTool({
      needsApproval: async ({ title }) => {
        asked.push(title);
        return title.startsWith("big");
      },
    });
    const { runtime } = await openRuntime({
      script: [[{ call: "add", arguments: { title: "small" } }], [{ call: "add", arguments: { title: "big" } }], "ok"],
      tools: [tool],
    });
    const outcome = await runtime.runToCompletion({ agent: "agent", input: "go" });
    expect(outcome).toMatchObject({ status: "waiting", open: [{ arguments: { title: "big" } }] });
    expect(keys).toHaveLength(1);
    expect(asked).toEqual(["small", "big"]);
  });

  it("ends the run after its approval when it says so", async () => {
    const { toolEffect } = await import("@reprise/contracts");
    const { runtime, run, call, model } = await suspend(["x"], {
      definition: { execute: () => toolEffect("bye", [{ type: "terminate" }]) },
    });
    await runtime.decisions.decide(call.id, { action: "approve" });
    expect(await soon(run.outcome())).toMatchObject({ status: "done", termination: { type: "behavior_requested" } });
    expect(model.requests).toHaveLength(1);
  });

  it("finds the decision in its context", async () => {
    const seen: unknown[] = [];
    const { runtime, run, call } = await suspend(["x"], {
      definition: { execute: (_, { decision }) => seen.push(decision?.reason) },
    });
    await runtime.decisions.decide(call.id, { action: "approve", reason: "fine by me" });
    await soon(run.outcome());
    expect(seen).toEqual(["fine by me"]);
  });
});
