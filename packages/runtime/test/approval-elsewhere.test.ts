import { textOf } from "@reprise/contracts";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { assertConsistent } from "./support/assert-consistent.ts";
import { type OpenOptions, openRuntime } from "./support/open-runtime.ts";
import { type Suspended, suspend } from "./support/suspend.ts";
import { countingTool } from "./support/tools.ts";
import { settle, soon, until } from "./support/wait.ts";

type Definition = Parameters<typeof countingTool>[0];

/** Closes the first runtime and opens another over the same store, as a deploy does. */
async function deploy(before: Suspended, definition: Definition | "gone" = {}, options: OpenOptions = {}) {
  await before.runtime.close();
  const { tool, keys } = countingTool(definition === "gone" ? { id: "other" } : { needsApproval: true, ...definition });
  const { env, store, blobs } = before;
  const after = await openRuntime({ world: { env, store, blobs }, script: ["after"], tools: [tool], ...options });
  const run = await after.runtime.run(before.run.id);
  return { ...after, run, keys };
}

function told({ model }: { model: { requests: readonly { messages: readonly { content: unknown }[] }[] } }): string {
  return textOf((model.requests[0]?.messages.at(-1) ?? { content: "" }) as { content: string });
}

describe("a run that waits, after its process is gone", () => {
  it("is decided and finished by another", async () => {
    const before = await suspend(["milk"]);
    const after = await deploy(before);
    expect(await after.runtime.decisions.list({ threadId: "t1" })).toEqual([before.call]);
    await after.runtime.decisions.decide(before.call.id, { action: "approve" });
    expect(await soon(after.run.outcome())).toMatchObject({ status: "done", text: "after" });
    expect([before.keys, after.keys]).toEqual([[], [before.call.id]]);
    await assertConsistent(after.tenant, "t1");
  });

  it("continues when the decision came while no process ran", async () => {
    const before = await suspend();
    await before.runtime.close();
    await before.runtime.decisions.decide(before.call.id, { action: "approve" });
    const after = await deploy(before);
    expect(await soon(after.run.outcome())).toMatchObject({ status: "done", text: "after" });
    expect(after.keys).toEqual([before.call.id]);
  });

  it("fails the call of a tool that is gone", async () => {
    const before = await suspend();
    const after = await deploy(before, "gone");
    await after.runtime.decisions.decide(before.call.id, { action: "approve" });
    expect(await soon(after.run.outcome())).toMatchObject({ status: "done", text: "after" });
    expect(told(after)).toContain("incompatible_definition");
    await assertConsistent(after.tenant, "t1");
  });

  it("asks anew when the tool has another version", async () => {
    const before = await suspend(["x"], { definition: { version: "1" } });
    const after = await deploy(before, { version: "2" });
    await after.runtime.decisions.decide(before.call.id, { action: "approve" });
    await until(async () => (await after.runtime.decisions.list())[0]?.suspension === 2, "the second question");
    await settle();
    expect(after.keys).toEqual([]);
    const [again] = await after.runtime.decisions.list();
    expect(again?.binding_hash).not.toBe(before.call.binding_hash);
    expect(again?.ticket?.suspension.id).not.toBe(before.call.ticket?.suspension.id);
    await assertConsistent(after.tenant, "t1");
    await after.runtime.decisions.decide(again?.id ?? "", { action: "approve" });
    expect(await soon(after.run.outcome())).toMatchObject({ status: "done", text: "after" });
    expect(after.keys).toEqual([before.call.id]);
  });

  it("asks anew when the tool's schema changed and still takes the arguments", async () => {
    const before = await suspend();
    const after = await deploy(before, { inputSchema: z.object({ title: z.string(), loud: z.boolean().optional() }) });
    await after.runtime.decisions.decide(before.call.id, { action: "approve" });
    await until(async () => (await after.runtime.decisions.list())[0]?.suspension === 2, "the second question");
    expect(after.keys).toEqual([]);
  });

  it.each([undefined, "1"])("fails the call whose arguments no longer fit, version %s", async (version) => {
    const versioned = version === undefined ? {} : { version };
    const before = await suspend(["x"], { definition: versioned });
    const inputSchema = z.object({ title: z.string().min(5) });
    const after = await deploy(before, { ...versioned, inputSchema });
    await after.runtime.decisions.decide(before.call.id, { action: "approve" });
    expect(await soon(after.run.outcome())).toMatchObject({ status: "done", text: "after" });
    expect(told(after)).toContain("incompatible_definition");
    expect(after.keys).toEqual([]);
  });

  it("does not need the tool to deny or supply", async () => {
    for (const verb of [{ action: "deny" }, { action: "supply", result: 7 }] as const) {
      const before = await suspend();
      const after = await deploy(before, "gone");
      await after.runtime.decisions.decide(before.call.id, verb);
      expect(await soon(after.run.outcome())).toMatchObject({ status: "done", text: "after" });
      expect(told(after)).toContain(verb.action === "deny" ? "denied" : "7");
      await assertConsistent(after.tenant, "t1");
    }
  });

  it("obeys the policy it was started with", async () => {
    const { tool } = countingTool({ needsApproval: true });
    const first = await openRuntime({ script: [[{ call: "add", arguments: { title: "x" } }]], tools: [tool] });
    const run = await first.runtime.submit({
      agent_id: "agent",
      thread_id: "t1",
      messages: [{ role: "user", content: "go" }],
      policy: { allowed_tools: ["add"] },
    });
    await run.outcome();
    const [call] = await first.runtime.decisions.list();
    await first.runtime.close();
    const other = countingTool({ id: "free" });
    const { env, store, blobs } = first;
    const second = await openRuntime({
      world: { env, store, blobs },
      script: [[{ call: "free", arguments: { title: "y" } }], "ok"],
      tools: [tool, other.tool],
    });
    await second.runtime.decisions.decide(call?.id ?? "", { action: "approve" });
    await soon((await second.runtime.run(run.id)).outcome());
    expect(second.model.requests[0]?.tools.map(({ id }) => id)).toEqual(["add"]);
    expect(other.keys).toEqual([]);
  });
});

describe("decisions that come with a request", () => {
  it("are taken by the call's id, and start no run", async () => {
    const { runtime, run, call, keys } = await suspend();
    const handle = await runtime.submit({
      agent_id: "agent",
      thread_id: "t1",
      messages: [],
      initial_decisions: [{ target_id: call.id, action: "resume" }],
    });
    expect(handle.id).toBe(run.id);
    expect(await soon(handle.outcome())).toMatchObject({ status: "done" });
    expect(keys).toEqual([call.id]);
  });

  it.each([
    ["an unknown action", { action: "deny" }, "INVALID_REQUEST"],
    ["no action", {}, "INVALID_REQUEST"],
    ["another binding", { action: "resume", binding_hash: "0".repeat(64) }, "BINDING_MISMATCH"],
    ["another call", { action: "resume", target_id: "nobody" }, "NOT_SUSPENDED"],
  ])("with %s are refused, and nothing runs", async (_, decision, code) => {
    const { runtime, call, keys } = await suspend();
    const initial_decisions = [{ target_id: call.id, ...decision }] as never;
    await expect(
      runtime.submit({ agent_id: "agent", thread_id: "t1", messages: [], initial_decisions }),
    ).rejects.toMatchObject({ code });
    await settle();
    expect(keys).toEqual([]);
  });
});
