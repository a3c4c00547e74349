import { type AgentEvent, textOf } from "@reprise/contracts";
import { describe, expect, it } from "vitest";
import { assertConsistent } from "./support/assert-consistent.ts";
import { createWorld, openRuntime } from "./support/open-runtime.ts";
import { countingTool } from "./support/tools.ts";
import { settle, soon, until } from "./support/wait.ts";

const request = (content: string) =>
  ({ agent_id: "agent", thread_id: "t1", run_id: "r1", messages: [{ role: "user", content }] }) as const;

describe("two tenants with the same ids", () => {
  it("have two conversations", async () => {
    const world = createWorld();
    const script = ({ messages }: { messages: readonly { content: unknown }[] }) =>
      `heard ${textOf(messages.at(-1) as { content: string })}`;
    const red = await openRuntime({ world, tenant: "red", script });
    const blue = await openRuntime({ world, tenant: "blue", script });
    const runs = [await red.runtime.submit(request("red")), await blue.runtime.submit(request("blue"))];
    const outcomes = await Promise.all(runs.map((run) => soon(run.outcome())));
    expect(outcomes).toMatchObject([{ text: "heard red" }, { text: "heard blue" }]);
    for (const { tenant } of [red, blue]) await assertConsistent(tenant, "t1");
  });

  it("are served by one runtime, each with its own", async () => {
    const { runtime } = await openRuntime({ script: () => "hi" });
    const [red, blue] = [runtime.forTenant("red"), runtime.forTenant("blue")];
    const runs = [await red.submit(request("red")), await blue.submit(request("blue"))];
    expect(await Promise.all(runs.map((run) => soon(run.outcome())))).toMatchObject([{ text: "hi" }, { text: "hi" }]);
    expect((await red.threads.messages("t1")).messages[0]?.content).toBe("red");
    expect((await red.threads.list()).total).toBe(1);
    expect((await runtime.threads.list()).total).toBe(0);
    await expect(runtime.run("r1")).rejects.toMatchObject({ code: "RUN_NOT_FOUND" });
    expect(() => runtime.forTenant("")).toThrow();
    void runtime.close();
    await expect(blue.submit({ ...request("late"), run_id: "r2" })).rejects.toMatchObject({ code: "RUNTIME_CLOSED" });
  });

  it("do not hear each other when one process works for both", async () => {
    const world = createWorld();
    const script = ({ messages }: { messages: readonly { content: unknown }[] }) => {
      const heard = textOf(messages.at(-1) as { content: string });
      return heard === "red"
        ? [{ text: "red secret" }, { stall: true } as const]
        : [{ text: ["blue ", "secret ", "text"] }];
    };
    const limits = { modelIdleTimeoutMs: null };
    const red = await openRuntime({ world, tenant: "red", script, limits });
    const run = await red.runtime.submit(request("red"));
    const heard: AgentEvent[] = [];
    const stop = new AbortController();
    const reading = (async () => {
      for await (const event of run.events({ signal: stop.signal })) heard.push(event);
    })();
    await settle();
    // The process of blue has no room, so that of red does the work.
    const blue = await openRuntime({ world, tenant: "blue", limits: { maxActiveRuns: 0 } });
    await blue.runtime.submit(request("blue"));
    await until(async () => (await blue.tenant.loadRun("r1"))?.status === "done", "the end of blue");
    await settle();
    const late = Array.fromAsync(run.events({ signal: stop.signal }));
    await settle();
    stop.abort();
    await soon(reading);
    for (const events of [heard, await soon(late)]) {
      expect(JSON.stringify(events)).not.toContain("blue");
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    }
    await assertConsistent(blue.tenant, "t1");
  });

  it("cannot see, decide or cancel what is the other's", async () => {
    const world = createWorld();
    const { tool, keys } = countingTool({ needsApproval: true });
    const red = await openRuntime({
      world,
      tenant: "red",
      script: [[{ call: "add", arguments: { title: "x" } }]],
      tools: [tool],
    });
    const blue = await openRuntime({ world, tenant: "blue", tools: [tool] });
    const run = await red.runtime.submit(request("red"));
    await soon(run.outcome());
    const [open] = await red.runtime.decisions.list();
    expect(await blue.runtime.decisions.list()).toEqual([]);
    expect((await blue.runtime.runs()).items).toEqual([]);
    expect((await blue.runtime.threads.list()).items).toEqual([]);
    await expect(blue.runtime.run("r1")).rejects.toMatchObject({ code: "RUN_NOT_FOUND" });
    await expect(blue.runtime.threads.messages("t1")).rejects.toMatchObject({ code: "THREAD_NOT_FOUND" });
    await expect(blue.runtime.decisions.decide(open?.id ?? "", { action: "approve" })).rejects.toMatchObject({
      code: "CALL_NOT_FOUND",
    });
    await settle();
    expect(keys).toEqual([]);
  });
});
