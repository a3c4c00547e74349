import { blockCall, type Plugin, textOf } from "@reprise/contracts";
import { definePlugin } from "@reprise/runtime";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { assertConsistent } from "../support/assert-consistent.ts";
import { freezeProcess } from "../support/frozen-env.ts";
import { createWorld, openRuntime } from "../support/open-runtime.ts";
import { type Suspended, suspend } from "../support/suspend.ts";
import { countingTool } from "../support/tools.ts";
import { gate, settle, soon, until } from "../support/wait.ts";

type Definition = NonNullable<Parameters<typeof countingTool>[0]>;

const MORE = z.object({ title: z.string(), loud: z.boolean().optional() });

/** What makes another tool of a tool. */
const CHANGES: readonly (readonly [what: string, before: Definition, after: Definition])[] = [
  ["version", { version: "1" }, { version: "2" }],
  ["schema", {}, { inputSchema: MORE }],
  ["schema under the same version", { version: "1" }, { version: "1", inputSchema: MORE }],
  ["class", { version: "1" }, { version: "1", class: "read_only" }],
  ["`idempotent`", { version: "1" }, { version: "1", idempotent: true }],
];

describe.each(CHANGES)("issue 14.29: a question about a tool whose %s changed", (_, old, changed) => {
  /** The next deploy, over the same store. */
  async function deploy(before: Suspended) {
    await before.runtime.close();
    const { tool, keys } = countingTool({ needsApproval: true, ...changed });
    const after = await openRuntime({ world: before, script: ["after"], tools: [tool] });
    return { ...after, keys, run: await after.runtime.run(before.run.id) };
  }

  it.each([
    { action: "approve" },
    { action: "edit", arguments: { title: "edited" } },
    { action: "supply", result: "supplied" },
  ] as const)("is asked anew when it is answered by $action, with the binding hash or without", async (verb) => {
    for (const isBound of [false, true]) {
      const before = await suspend(["x"], { definition: old });
      const after = await deploy(before);
      const { id, binding_hash } = before.call;
      const options = isBound ? { bindingHash: binding_hash } : {};
      await after.runtime.decisions.decide(id, verb, options);
      await until(async () => (await after.runtime.decisions.list())[0]?.suspension === 2, "the second question");
      await settle();
      const [again] = await after.runtime.decisions.list();
      expect(again?.binding_hash).not.toBe(binding_hash);
      expect(again?.arguments).toEqual({ title: "x" });
      expect(after.keys).toEqual([]);
      await after.runtime.decisions.decide(id, verb);
      expect(await soon(after.run.outcome())).toMatchObject({ status: "done", text: "after" });
      expect(after.keys).toEqual(verb.action === "supply" ? [] : [id]);
      expect(await after.runtime.replay(before.run.id)).toMatchObject({ equal: true });
      await assertConsistent(after.tenant, "t1");
    }
  });
});

describe("issue 14.29: a call that was under way when its owner was killed", () => {
  /** A process dies while its tool runs; the next one has another tool, or none. */
  async function killWhileRunning(old: Definition, changed: Definition | "gone" | "same", plugins: Plugin[] = []) {
    const world = createWorld();
    const never = gate<never>();
    const dead = countingTool({ ...old, execute: () => never.promise });
    const calls = [{ call: "add", arguments: { title: "x" } }];
    const first = await openRuntime({ world, ...freezeProcess(world), script: [calls], tools: [dead.tool] });
    const { id } = await first.runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    await until(() => dead.keys.length === 1, "the first execution");
    const next = countingTool(changed === "gone" ? { id: "other" } : changed === "same" ? old : changed);
    const after = await openRuntime({ world, script: ["after"], tools: [next.tool], agent: { plugins } });
    await world.env.advance(13_000);
    const run = await after.runtime.run(id);
    await soon(run.outcome());
    const [question] = await after.runtime.decisions.list();
    return { ...after, run, question, keys: next.keys };
  }

  const told = ({ model }: Awaited<ReturnType<typeof killWhileRunning>>): string => {
    const last = model.requests[0]?.messages.at(-1);
    return last === undefined ? "" : textOf(last);
  };

  it.each([...CHANGES, ["everything: it is gone", {}, "gone"] as const])(
    "waits with an unknown outcome when its tool changed: %s",
    async (_, old, changed) => {
      const after = await killWhileRunning(old, changed);
      expect(after.question).toMatchObject({ suspension: 1, ticket: { suspension: { action: "unknown_outcome" } } });
      expect(after.keys).toEqual([]);
      expect(after.model.requests).toEqual([]);
      await after.runtime.decisions.decide(after.question?.id ?? "", { action: "supply", result: "it was paid" });
      expect(await soon(after.run.outcome())).toMatchObject({ status: "done", text: "after" });
      expect(told(after)).toBe("it was paid");
      expect(after.keys).toEqual([]);
      expect(await after.runtime.replay(after.run.id)).toMatchObject({ equal: true });
      await assertConsistent(after.tenant, "t1");
    },
  );

  it("is not run twice by a version that says it is idempotent, when the one that began it did not", async () => {
    const after = await killWhileRunning({}, { idempotent: true });
    expect(after.keys).toEqual([]);
    await after.runtime.decisions.decide(after.question?.id ?? "", { action: "approve" });
    expect(await soon(after.run.outcome())).toMatchObject({ status: "done" });
    expect(after.keys, "only because somebody said so, with the same key").toEqual([after.question?.id]);
  });

  it("stays a question when somebody wants to run again a tool that is gone, and can be denied", async () => {
    const after = await killWhileRunning({}, "gone");
    const id = after.question?.id ?? "";
    expect(after.question?.ticket?.suspension.message).not.toContain("approve");
    await after.runtime.decisions.decide(id, { action: "approve" });
    await until(async () => (await after.runtime.decisions.list())[0]?.suspension === 2, "the second question");
    expect(after.model.requests).toEqual([]);
    await after.runtime.decisions.decide(id, { action: "deny" });
    expect(await soon(after.run.outcome())).toMatchObject({ status: "done", text: "after" });
    expect(told(after)).toContain("denied");
    expect(await after.tenant.loadCall(after.run.id, id)).toMatchObject({ status: "failed" });
  });

  it("waits with an unknown outcome when a new rule will not let it run again", async () => {
    const blocking = definePlugin({ id: "rule", hooks: { beforeToolExecute: () => [blockCall("Not on Sundays.")] } });
    const after = await killWhileRunning({ idempotent: true }, "same", [blocking]);
    expect(after.question).toMatchObject({ ticket: { suspension: { action: "unknown_outcome" } } });
    expect(after.question?.ticket?.suspension.message).toContain("Not on Sundays.");
    expect(after.keys).toEqual([]);
  });

  it("runs again under the same version when it is idempotent", async () => {
    const after = await killWhileRunning({ idempotent: true }, "same");
    expect(after.question).toBeUndefined();
    expect(await soon(after.run.outcome())).toMatchObject({ status: "done", text: "after" });
    expect(after.keys).toHaveLength(1);
  });
});
