import { describe, expect, it } from "vitest";
import { assertConsistent } from "./support/assert-consistent.ts";
import { crashAtPoint } from "./support/crashing-env.ts";
import { createWorld, openRuntime } from "./support/open-runtime.ts";
import { suspend } from "./support/suspend.ts";
import { countingTool } from "./support/tools.ts";
import { settle, soon, until } from "./support/wait.ts";

const LEASE = 13_000;

/** A run whose call was decided, and whose process died while the tool ran; another process takes over. */
async function dieAfter(
  verb: Parameters<Awaited<ReturnType<typeof suspend>>["runtime"]["decisions"]["decide"]>[1],
  idempotent: boolean,
) {
  const world = createWorld();
  const before = await suspend(["x"], { world, definition: { idempotent } });
  await before.runtime.close();
  await before.runtime.decisions.decide(before.call.id, verb);
  const executions: { key: string; input: unknown; reason: string | undefined }[] = [];
  const { tool } = countingTool({
    needsApproval: true,
    idempotent,
    execute: (input, { idempotencyKey, decision }) => {
      executions.push({ key: idempotencyKey, input, reason: decision?.reason });
      return "ran";
    },
  });
  // The points on the way: commit:before, commit:after, tool:before, tool:executed.
  const dying = crashAtPoint(world, 4);
  await openRuntime({ world, ...dying, tools: [tool] });
  await until(() => dying.diedAt() !== undefined, "its death");
  expect(executions).toHaveLength(1);
  const after = await openRuntime({ world, script: ["after"], tools: [tool] });
  await world.env.advance(LEASE);
  await settle();
  return { ...after, call: before.call, run: await after.runtime.run(before.run.id), executions };
}

describe("a decided call whose process died while it ran", () => {
  it("runs again with the same key, arguments and decision when it is idempotent", async () => {
    const { run, executions, call, tenant } = await dieAfter(
      { action: "edit", arguments: { title: "edited" }, reason: "because" },
      true,
    );
    expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "after" });
    const once = { key: call.id, input: { title: "edited" }, reason: "because" };
    expect(executions).toEqual([once, once]);
    await assertConsistent(tenant, "t1");
  });

  it("waits as a second question when it is not, and the first answer does not count for it", async () => {
    const { run, runtime, executions, call, tenant } = await dieAfter({ action: "approve" }, false);
    expect(await soon(run.outcome())).toMatchObject({ status: "waiting", open: [{ id: call.id, suspension: 2 }] });
    await settle();
    expect(executions).toHaveLength(1);
    await assertConsistent(tenant, "t1");
    await runtime.decisions.decide(call.id, { action: "supply", result: "it worked" });
    expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "after" });
    expect(executions).toHaveLength(1);
    await assertConsistent(tenant, "t1");
  });
});

describe("a decision whose process died before it was used", () => {
  it("is used by the next", async () => {
    const world = createWorld();
    const before = await suspend(["x"], { world });
    await before.runtime.close();
    await before.runtime.decisions.decide(before.call.id, { action: "approve" });
    const { tool, keys } = countingTool({ needsApproval: true });
    const dying = crashAtPoint(world, 1);
    await openRuntime({ world, ...dying, tools: [tool] });
    await until(() => dying.diedAt() !== undefined, "its death");
    expect(keys).toEqual([]);
    const after = await openRuntime({ world, script: ["after"], tools: [tool] });
    await world.env.advance(LEASE);
    expect(await soon((await after.runtime.run(before.run.id)).outcome())).toMatchObject({
      status: "done",
      text: "after",
    });
    expect(keys).toEqual([before.call.id]);
    await assertConsistent(after.tenant, "t1");
  });
});
