import { textOf } from "@reprise/contracts";
import { describe, expect, it } from "vitest";
import { assertConsistent } from "./support/assert-consistent.ts";
import { openRuntime } from "./support/open-runtime.ts";
import { suspend } from "./support/suspend.ts";
import { countingTool, notes } from "./support/tools.ts";
import { settle, soon, until } from "./support/wait.ts";

describe("several calls of one round that wait", () => {
  it.each([[[0, 1]], [[1, 0]]])(
    "may be decided in the order %j, and the model is called after the last",
    async (order) => {
      const { runtime, run, open, keys, tenant, model } = await suspend(["a", "b"]);
      for (const [turn, index] of order.entries()) {
        await runtime.decisions.decide(open[index]?.id ?? "", { action: "approve" });
        await until(() => keys.length === turn + 1, "the execution");
        await settle();
        expect(model.requests).toHaveLength(turn + 1);
        await assertConsistent(tenant, "t1");
      }
      expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "ok" });
      expect(keys).toEqual(order.map((index) => open[index]?.id));
    },
  );

  it("may be decided at once", async () => {
    const { runtime, run, open, keys, tenant, model } = await suspend(["a", "b", "c"]);
    await Promise.all(
      open.map(({ id }, index) => runtime.decisions.decide(id, { action: index === 1 ? "deny" : "approve" })),
    );
    await until(async () => (await run.record()).status === "done", "the end");
    expect(keys).toEqual([open[0]?.id, open[2]?.id]);
    expect(model.requests).toHaveLength(2);
    await assertConsistent(tenant, "t1");
  });

  it("leave the results of the others committed at once", async () => {
    const asking = countingTool({ needsApproval: true });
    const free = countingTool({ id: "free" });
    const { runtime, model, tenant } = await openRuntime({
      script: [
        [
          { call: "free", arguments: { title: "first" } },
          { call: "add", arguments: { title: "asked" } },
          { call: "nope" },
          { call: "free", arguments: { title: "last" } },
        ],
        "ok",
      ],
      tools: [asking.tool, free.tool],
    });
    const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    expect(await run.outcome()).toMatchObject({ status: "waiting", open: [{ tool_id: "add" }] });
    expect([free.keys.length, asking.keys.length, model.requests.length]).toEqual([2, 0, 1]);
    expect(notes.read(await runtime.threads.state("t1"))).toEqual(["first", "last"]);
    await assertConsistent(tenant, "t1");
    const [open] = await runtime.decisions.list();
    await runtime.decisions.decide(open?.id ?? "", { action: "approve" });
    await soon(run.outcome());
    expect(notes.read(await runtime.threads.state("t1"))).toEqual(["first", "last", "asked"]);
    const results = model.requests[1]?.messages.filter(({ role }) => role === "tool") ?? [];
    expect(results).toHaveLength(4);
    expect(results.map(textOf)).toMatchObject(['{"count":1}', '{"count":3}', expect.any(String), '{"count":2}']);
    await assertConsistent(tenant, "t1");
  });

  it("keep what another call queued from standing between them and their results", async () => {
    const asking = countingTool({ needsApproval: true });
    const talking = countingTool({
      id: "talk",
      execute: (_, context) => {
        context.queueMessage({ role: "user", content: "by the way" });
        return null;
      },
    });
    const { runtime, model } = await openRuntime({
      script: [
        [
          { call: "talk", arguments: { title: "x" } },
          { call: "add", arguments: { title: "y" } },
        ],
        "ok",
      ],
      tools: [asking.tool, talking.tool],
    });
    const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    await run.outcome();
    const [open] = await runtime.decisions.list();
    await runtime.decisions.decide(open?.id ?? "", { action: "approve" });
    await soon(run.outcome());
    const roles = model.requests[1]?.messages.map(({ role }) => role);
    expect(roles).toEqual(["user", "assistant", "tool", "tool", "user"]);
  });

  it("are all found again, however many they are", async () => {
    const titles = Array.from({ length: 205 }, (_, index) => `n${index}`);
    const { tool, keys } = countingTool({ needsApproval: true });
    const { runtime, tenant, model } = await openRuntime({
      script: [titles.map((title) => ({ call: "add", arguments: { title } })), "ok"],
      tools: [tool],
    });
    const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    const outcome = await soon(run.outcome());
    expect(outcome.status === "waiting" && outcome.open.length).toBe(205);
    for (let index = 0; index < titles.length; index += 1) {
      await runtime.decisions.decide(`${run.id}-s1-c${index}`, { action: "approve" });
    }
    await until(async () => (await run.record()).status === "done", "the end");
    expect(keys).toHaveLength(205);
    expect(model.requests[1]?.messages.filter(({ role }) => role === "tool")).toHaveLength(205);
    expect((await tenant.listCalls({ run_id: run.id, status: "suspended" })).items).toEqual([]);
  });
});
