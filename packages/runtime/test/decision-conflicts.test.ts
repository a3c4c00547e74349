import { describe, expect, it } from "vitest";
import { bindingHash } from "../src/resolve/tool-version.ts";
import { assertConsistent } from "./support/assert-consistent.ts";
import { openRuntime } from "./support/open-runtime.ts";
import { suspend } from "./support/suspend.ts";
import { countingTool } from "./support/tools.ts";
import { gate, settle, soon, until } from "./support/wait.ts";

describe("a decision", () => {
  it("made twice is made once", async () => {
    const { runtime, run, call, keys } = await suspend();
    const [first, second] = await Promise.all([
      runtime.decisions.decide(call.id, { action: "approve" }),
      runtime.decisions.decide(call.id, { action: "approve" }),
    ]);
    expect(second).toEqual(first);
    await until(async () => (await run.record()).status === "done", "the end");
    expect(await runtime.decisions.decide(call.id, { action: "approve" })).toEqual(first);
    expect(keys).toHaveLength(1);
  });

  it("that differs from the first is refused with the first, before and after the call is over", async () => {
    const { runtime, run, call, open, keys } = await suspend(["a", "b"]);
    const first = await runtime.decisions.decide(call.id, { action: "deny" });
    const conflict = { code: "DECISION_CONFLICT", details: { winner: first } };
    await expect(runtime.decisions.decide(call.id, { action: "approve" })).rejects.toMatchObject(conflict);
    await until(
      async () => (await run.record()).status === "waiting" && (await runtime.decisions.list()).length === 1,
      "the first",
    );
    await expect(runtime.decisions.decide(call.id, { action: "approve" })).rejects.toMatchObject(conflict);
    await expect(
      runtime.decisions.decide(call.id, { action: "deny" }, { decisionId: "another" }),
    ).rejects.toMatchObject(conflict);
    expect(keys).toEqual([]);
    expect(open).toHaveLength(2);
  });

  it("names the person who made it to rivals, and stays theirs when another person repeats it", async () => {
    const { runtime, run, call } = await suspend();
    const first = await runtime.decisions.decide(call.id, { action: "approve" }, { decidedBy: "ada" });
    expect(first.decided_by).toBe("ada");
    expect(await runtime.decisions.decide(call.id, { action: "approve" }, { decidedBy: "bob" })).toEqual(first);
    await soon(run.outcome());
    await expect(runtime.decisions.decide(call.id, { action: "deny" }, { decidedBy: "bob" })).rejects.toThrow(
      /was already approved by ada at /,
    );
    expect(await soon(runtime.replay(run.id))).toMatchObject({ equal: true });
  });

  it("of many rivals has one winner, and the call does what that one says", async () => {
    const { runtime, run, call, keys } = await suspend();
    const verbs = [{ action: "deny" }, { action: "approve" }, { action: "supply", result: 1 }] as const;
    const answers = await Promise.allSettled(
      verbs.map((verb, index) => runtime.decisions.decide(call.id, verb, { decisionId: `d${index}` })),
    );
    expect(answers.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected"]);
    await soon(run.outcome());
    expect(keys).toEqual([]);
  });

  it("on a run that is done is too late", async () => {
    const { runtime, run, call } = await suspend();
    await run.cancel();
    await until(async () => (await run.record()).status === "done", "the end");
    await expect(runtime.decisions.decide(call.id, { action: "approve" })).rejects.toMatchObject({
      code: "RUN_NOT_ACTIVE",
    });
  });

  it.each(["nonsense", "", "__proto__", "no-such-run-s1-c0", "x".repeat(10_000)])(
    "on %.20s finds no call",
    async (id) => {
      const { runtime } = await suspend();
      await expect(runtime.decisions.decide(id, { action: "approve" })).rejects.toMatchObject({
        code: "CALL_NOT_FOUND",
      });
    },
  );

  it("with another call's run or binding is refused", async () => {
    const { runtime, call, open, keys } = await suspend(["a", "b"]);
    const other = open[1];
    await expect(runtime.decisions.decide(call.id, { action: "approve" }, { runId: "other" })).rejects.toMatchObject({
      code: "CALL_NOT_FOUND",
    });
    await expect(
      runtime.decisions.decide(call.id, { action: "approve" }, { bindingHash: other?.binding_hash ?? "" }),
    ).rejects.toMatchObject({ code: "BINDING_MISMATCH" });
    await settle();
    expect(keys).toEqual([]);
    await runtime.decisions.decide(call.id, { action: "approve" }, { bindingHash: call.binding_hash });
    await until(() => keys.length === 1, "the execution");
  });

  it.each([
    ["supply without a result", { action: "supply" }],
    ["edit without arguments", { action: "edit" }],
    ["supply of something that is no JSON", { action: "supply", result: () => 1 }],
    ["edit to something that is no JSON", { action: "edit", arguments: { title: "x", more: new Date(0) } }],
    ["an unknown word", { action: "maybe" }],
    ["no word", {}],
    ["nothing", null],
  ])("that is %s is refused, and nothing runs", async (_, verb) => {
    const { runtime, run, call, keys } = await suspend();
    await expect(runtime.decisions.decide(call.id, verb as never)).rejects.toMatchObject({ code: "INVALID_REQUEST" });
    await settle();
    expect(keys).toEqual([]);
    expect((await run.record()).status).toBe("waiting");
    await runtime.decisions.decide(call.id, { action: "deny" });
    expect(await soon(run.outcome())).toMatchObject({ status: "done" });
  });

  it("repeated while the approved call runs gets the same answer, and decides nothing else", async () => {
    const release = gate();
    const { runtime, run, call, keys, tenant } = await suspend(["x"], {
      definition: { execute: () => release.promise },
    });
    const options = { bindingHash: call.binding_hash };
    const first = await runtime.decisions.decide(call.id, { action: "approve" }, options);
    await until(() => keys.length === 1, "the execution");
    expect(await runtime.decisions.decide(call.id, { action: "approve" })).toEqual(first);
    expect(await runtime.decisions.decide(call.id, { action: "approve" }, options)).toEqual(first);
    expect(await tenant.loadDecision(run.id, call.id, 2)).toBeUndefined();
    release.open();
    await soon(run.outcome());
  });

  it("before the suspension is kept when it says what it is about, and refused when it does not", async () => {
    const { toolPending, toolResult } = await import("@reprise/contracts");
    const release = gate();
    let runs = 0;
    const { tool } = countingTool({
      execute: async (_, { identity, decision }) => {
        runs += 1;
        if (decision !== undefined) return "went on";
        await release.promise;
        const pending = { id: identity.callId, name: "add", arguments: { title: "x" } };
        const ticket = {
          suspension: { id: "q", action: "tool:add" },
          pending,
          resume_mode: "pass_decision_to_tool",
        } as const;
        return toolResult(toolPending("add", ticket));
      },
    });
    const { runtime, tenant, env } = await openRuntime({
      script: [[{ call: "add", arguments: { title: "x" } }], "ok"],
      tools: [tool],
    });
    const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    await until(() => runs === 1, "the execution");
    const [row] = (await tenant.listCalls({ run_id: run.id })).items;
    if (row === undefined) throw new Error("There is no call.");
    await expect(runtime.decisions.decide(row.call_id, { action: "approve" })).rejects.toMatchObject({
      code: "NOT_SUSPENDED",
    });
    await expect(
      runtime.decisions.decide(row.call_id, { action: "approve" }, { bindingHash: "0".repeat(64) }),
    ).rejects.toMatchObject({ code: "BINDING_MISMATCH" });
    const hash = bindingHash(env, "default", row);
    await runtime.decisions.decide(row.call_id, { action: "approve" }, { bindingHash: hash });
    release.open();
    await until(async () => (await run.record()).status === "done", "the end");
    expect(runs).toBe(2);
    await assertConsistent(tenant, "t1");
  });
});
