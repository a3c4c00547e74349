import { textOf } from "@reprise/contracts";
import { describe, expect, it } from "vitest";
import { assertConsistent } from "./support/assert-consistent.ts";
import { openRuntime } from "./support/open-runtime.ts";
import { suspend } from "./support/suspend.ts";
import { countingTool, notes } from "./support/tools.ts";
import { gate, settle, soon, until } from "./support/wait.ts";

/** A runtime whose first run streams until it is cancelled; later ones answer. */
function busy() {
  return openRuntime({
    script: (request, turn) =>
      turn === 1
        ? [{ text: "thinking" }, { stall: true }]
        : `heard ${textOf(request.messages.at(-1) ?? { content: "" })}`,
    limits: { modelIdleTimeoutMs: null },
  });
}

const at = (input: string) => ({ agent: "agent", threadId: "t1", input }) as const;

describe("a run for a thread that is busy", () => {
  it.each(["enqueue", "continue"] as const)("waits for the running one with %s", async (whenBusy) => {
    const { runtime, model, tenant } = await busy();
    const first = await runtime.start(at("one"));
    await settle();
    const second = await runtime.start({ ...at("two"), whenBusy });
    await settle();
    expect(model.requests).toHaveLength(1);
    await first.cancel();
    expect(await soon(second.outcome())).toMatchObject({ status: "done", text: "heard two" });
    await assertConsistent(tenant, "t1");
  });

  it("is refused with reject, and leaves no trace", async () => {
    const { runtime, tenant } = await busy();
    const first = await runtime.start(at("one"));
    await settle();
    await expect(runtime.start({ ...at("two"), whenBusy: "reject" })).rejects.toMatchObject({ code: "THREAD_BUSY" });
    expect((await tenant.listEntries({ thread_id: "t1", status: "queued" })).items).toEqual([]);
    await first.cancel();
    await soon(first.outcome());
    expect(await soon(runtime.runToCompletion({ ...at("three"), whenBusy: "reject" }))).toMatchObject({
      status: "done",
    });
  });

  it("ends the running one and drops the queue with interrupt", async () => {
    const { runtime, tenant, model } = await busy();
    const first = await runtime.start(at("one"));
    await settle();
    const queued = await runtime.start({ ...at("two"), whenBusy: "enqueue" });
    const third = await runtime.start({ ...at("three"), whenBusy: "interrupt" });
    expect(await soon(third.outcome())).toMatchObject({ status: "done", text: "heard three" });
    expect(await soon(first.outcome())).toMatchObject({ status: "cancelled" });
    expect(await soon(queued.outcome())).toEqual({ status: "cancelled" });
    expect(model.requests).toHaveLength(2);
    await assertConsistent(tenant, "t1");
  });

  it("takes the place of a waiting one with continue, which is the default", async () => {
    const { runtime, run, call, tenant, model, keys } = await suspend(["x", "y"]);
    const next = await runtime.start(at("never mind"));
    expect(await soon(next.outcome())).toMatchObject({ status: "done", text: "ok", run: { parent_run_id: run.id } });
    expect(await run.record()).toMatchObject({ status: "done", termination_code: "stopped:superseded" });
    const results = model.requests[1]?.messages.filter(({ role }) => role === "tool") ?? [];
    expect(results.map((message) => textOf(message).includes("superseded"))).toEqual([true, true]);
    expect(model.requests[1]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "tool", "user"]);
    await expect(runtime.decisions.decide(call.id, { action: "approve" })).rejects.toMatchObject({
      code: "RUN_NOT_ACTIVE",
    });
    expect(keys).toEqual([]);
    expect(await tenant.loadCall(run.id, call.id)).not.toHaveProperty("ticket");
    await assertConsistent(tenant, "t1");
  });

  it("waits for a waiting one with enqueue", async () => {
    const { runtime, run, call, model, tenant } = await suspend();
    const next = await runtime.start({ ...at("later"), whenBusy: "enqueue" });
    await settle();
    expect(model.requests).toHaveLength(1);
    await runtime.decisions.decide(call.id, { action: "approve" });
    expect(await soon(next.outcome())).toMatchObject({ status: "done", text: "more" });
    expect(await run.record()).toMatchObject({ termination_code: "natural" });
    await assertConsistent(tenant, "t1");
  });

  it.each(["interrupt", "rollback"] as const)("ends a waiting one with %s", async (whenBusy) => {
    const { runtime, run, tenant, keys } = await suspend();
    const next = await runtime.start({ ...at("stop"), whenBusy });
    expect(await soon(next.outcome())).toMatchObject({ status: "done", text: "ok" });
    expect(await run.record()).toMatchObject({ status: "done", termination_code: "cancelled" });
    expect(keys).toEqual([]);
    await assertConsistent(tenant, "t1");
  });

  it("restores the state and the messages with rollback", async () => {
    const release = gate();
    const { tool, keys } = countingTool();
    const hang = countingTool({ id: "hang", execute: () => release.promise });
    const { runtime, model, tenant } = await openRuntime({
      script: [
        [{ call: "add", arguments: { title: "kept" } }],
        "first",
        [{ call: "add", arguments: { title: "undone" } }],
        [{ call: "hang", arguments: { title: "x" } }],
        "after",
      ],
      tools: [tool, hang.tool],
    });
    await runtime.runToCompletion({ ...at("one"), state: { topic: "a" } });
    const undone = await runtime.start({ ...at("two"), state: { topic: "b", extra: 1 } });
    await until(() => hang.keys.length === 1, "the second tool");
    expect(notes.read(await runtime.threads.state("t1"))).toEqual(["kept", "undone"]);
    const third = await runtime.start({ ...at("three"), whenBusy: "rollback" });
    expect(await soon(third.outcome())).toMatchObject({ status: "done", text: "after" });
    expect(await soon(undone.outcome())).toMatchObject({ status: "cancelled" });
    const state = await runtime.threads.state("t1");
    expect(state).toMatchObject({ notes: ["kept"], topic: "a" });
    expect(state).not.toHaveProperty("extra");
    expect(model.requests.at(-1)?.messages.flatMap((message) => textOf(message) || [])).toEqual([
      "one",
      '{"count":1}',
      "first",
      "three",
    ]);
    const shown = (await runtime.threads.messages("t1")).messages.map(textOf);
    expect(shown).not.toContain("two");
    expect(keys).toHaveLength(2);
    await assertConsistent(tenant, "t1");
  });

  it("may say again what was rolled back, in this process and in another", async () => {
    for (const isCold of [false, true]) {
      const world = await busy();
      const said = { id: "m1", role: "user", content: "hello" } as const;
      await world.runtime.start({ ...at(""), input: [said] });
      await settle();
      const second = await world.runtime.start({ ...at("nothing"), whenBusy: "rollback" });
      await soon(second.outcome());
      const { env, store, blobs } = world;
      const other = isCold ? await openRuntime({ world: { env, store, blobs }, script: ["again"] }) : world;
      const third = await other.runtime.start({ ...at(""), input: [said, { role: "user", content: "and?" }] });
      await settle();
      await env.advance(10_000);
      expect(await soon(third.outcome()), isCold ? "cold" : "warm").toMatchObject({ status: "done" });
      await assertConsistent(world.tenant, "t1");
    }
  });

  it("with a key seen before is the run that was started with it", async () => {
    const { runtime, model } = await openRuntime({ script: ["one", "two"] });
    const request = {
      agent_id: "agent",
      thread_id: "t1",
      messages: [{ role: "user", content: "hi" }],
      dedupe_key: "k",
    } as const;
    const [first, second] = await Promise.all([runtime.submit(request), runtime.submit(request)]);
    expect(second.id).toBe(first.id);
    await soon(first.outcome());
    expect((await runtime.submit(request)).id).toBe(first.id);
    await settle();
    expect(model.requests).toHaveLength(1);
  });
});
