import { textOf } from "@reprise/contracts";
import { scriptedModel } from "@reprise/models";
import { describe, expect, it } from "vitest";
import { assertConsistent } from "../support/assert-consistent.ts";
import { openRuntime } from "../support/open-runtime.ts";
import { suspend } from "../support/suspend.ts";
import { countingTool, notes } from "../support/tools.ts";
import { collect, gate, settle, soon, until } from "../support/wait.ts";
import { byHistory, resultsIn, shapeOf } from "./support/by-history.ts";
import { assertSettled, assertValid } from "./support/settled.ts";

const at = (input: string) => ({ agent: "agent", threadId: "t1", input }) as const;

describe("a new message while calls are open, continue", () => {
  it("closes them as superseded and continues in a new run whose parent is the old one", async () => {
    const { runtime, run, open, model, tenant, keys } = await suspend(["a", "b"]);
    const next = await runtime.start({ ...at("never mind"), whenBusy: "continue" });
    expect(await soon(next.outcome())).toMatchObject({ status: "done", run: { parent_run_id: run.id } });
    expect(await run.record()).toMatchObject({
      status: "done",
      termination_code: "stopped:superseded",
      termination_detail: next.id,
    });
    expect(await soon(run.outcome())).toMatchObject({
      status: "done",
      termination: { type: "stopped", value: { code: "superseded" } },
    });
    expect(shapeOf(model.requests[1]?.messages ?? [])).toEqual(["user", "calls:2", "result", "result", "user"]);
    for (const [, text] of resultsIn(model.requests[1])) expect(text).toContain("superseded");
    const events = await collect(run, { follow: true });
    const ends = events.flatMap((event) =>
      event.type === "tool_call_done" && event.data.outcome !== "suspended" ? [event.data.id, event.data.outcome] : [],
    );
    expect(ends).toEqual([open[0]?.id, "cancelled", open[1]?.id, "cancelled"]);
    expect(keys).toEqual([]);
    assertValid(model.requests);
    await assertSettled(tenant, "t1");
  });

  it("keeps the results that were there, and closes only what was open", async () => {
    const { runtime, run, open, model, tenant, keys } = await suspend(["a", "b", "c"]);
    await runtime.decisions.decide(open[1]?.id ?? "", { action: "approve" });
    await until(async () => keys.length === 1 && (await run.record()).status === "waiting", "the one");
    await settle();
    const next = await runtime.start(at("never mind"));
    await soon(next.outcome());
    expect(resultsIn(model.requests[1]).map(([, text]) => text)).toEqual([
      expect.stringContaining("superseded"),
      '{"count":1}',
      expect.stringContaining("superseded"),
    ]);
    expect(notes.read(await runtime.threads.state("t1"))).toEqual(["b"]);
    await assertSettled(tenant, "t1");
  });

  it("closes also the calls that stood behind one that waited, one at a time", async () => {
    const { runtime, run, tenant, model, keys } = await suspend(["a", "b"], {
      agent: { toolExecutionMode: "sequential" },
    });
    expect((await tenant.listCalls({ run_id: run.id })).items.map(({ status }) => status)).toEqual([
      "suspended",
      "new",
    ]);
    const next = await runtime.start(at("never mind"));
    expect(await soon(next.outcome())).toMatchObject({ status: "done" });
    expect((await tenant.listCalls({ run_id: run.id })).items.map(({ status }) => status)).toEqual([
      "cancelled",
      "cancelled",
    ]);
    const events = await collect(run, { follow: true });
    const ends = events.filter((event) => event.type === "tool_call_done" && event.data.outcome !== "suspended");
    expect(ends).toHaveLength(2);
    for (const [, text] of resultsIn(model.requests[1])) expect(text).toContain("superseded");
    expect(keys).toEqual([]);
    assertValid(model.requests);
    await assertSettled(tenant, "t1");
  });

  it("and a decision race: one of them wins, and the thread is whole", async () => {
    for (const isMessageFirst of [true, false]) {
      const { runtime, run, call, tenant, model } = await suspend(["a"]);
      const say = () => runtime.start(at("never mind"));
      const decide = () => runtime.decisions.decide(call.id, { action: "approve" }).catch((error: unknown) => error);
      const [next] = isMessageFirst
        ? await Promise.all([say(), decide()])
        : ((await Promise.all([decide(), say()])).toReversed() as [Awaited<ReturnType<typeof say>>, unknown]);
      await soon(next.outcome());
      expect(await run.record()).toMatchObject({ status: "done" });
      assertValid(model.requests);
      await assertSettled(tenant, "t1");
    }
  });

  it("is taken up by another process", async () => {
    const first = await suspend(["a", "b"]);
    await first.runtime.close();
    const { env, store, blobs } = first;
    const { tool } = countingTool({ needsApproval: true });
    const other = await openRuntime({ world: { env, store, blobs }, script: ["fine"], tools: [tool] });
    const next = await other.runtime.start(at("never mind"));
    expect(await soon(next.outcome())).toMatchObject({ status: "done", text: "fine" });
    expect(await (await other.runtime.run(first.run.id)).record()).toMatchObject({
      termination_code: "stopped:superseded",
    });
    assertValid(other.model.requests);
    await assertSettled(other.tenant, "t1");
  });

  it("may decide what is open and say more in one request", async () => {
    const { runtime, run, call, model, tenant, keys } = await suspend(["a"]);
    const next = await runtime.submit({
      agent_id: "agent",
      thread_id: "t1",
      messages: [{ role: "user", content: "and then stop" }],
      initial_decisions: [{ target_id: call.id, action: "resume" }],
      busy_policy: "enqueue",
    });
    expect(await soon(next.outcome())).toMatchObject({ status: "done" });
    expect(next.id).not.toBe(run.id);
    expect(await run.record()).toMatchObject({ status: "done", termination_code: "natural" });
    expect(keys).toEqual([call.id]);
    assertValid(model.requests);
    await assertSettled(tenant, "t1");
  });
});

describe("a new message while calls are open", () => {
  it("with interrupt ends the waiting run as cancelled, and its calls with it", async () => {
    const { runtime, run, model, tenant, keys } = await suspend(["a", "b"]);
    const next = await runtime.start({ ...at("stop"), whenBusy: "interrupt" });
    expect(await soon(next.outcome())).toMatchObject({ status: "done" });
    expect(await run.record()).toMatchObject({ status: "done", termination_code: "cancelled" });
    expect(shapeOf(model.requests[1]?.messages ?? [])).toEqual(["user", "calls:2", "result", "result", "user"]);
    for (const [, text] of resultsIn(model.requests[1])) expect(text).toContain("cancelled");
    expect(keys).toEqual([]);
    assertValid(model.requests);
    await assertSettled(tenant, "t1");
  });

  it("with rollback takes the waiting run back: its messages, its calls, its state", async () => {
    const asking = countingTool({ needsApproval: true });
    const free = countingTool({ id: "free" });
    const { runtime, model, tenant } = await openRuntime({
      script: byHistory([
        "hello",
        [
          { call: "free", arguments: { title: "free" } },
          { call: "add", arguments: { title: "asked" } },
        ],
        "never",
      ]),
      tools: [asking.tool, free.tool],
    });
    await runtime.runToCompletion(at("one"));
    const run = await runtime.start(at("two"));
    expect(await soon(run.outcome())).toMatchObject({ status: "waiting" });
    expect(notes.read(await runtime.threads.state("t1"))).toEqual(["free"]);
    const next = await runtime.start({ ...at("three"), whenBusy: "rollback" });
    await soon(next.outcome());
    expect(await run.record()).toMatchObject({ status: "done", termination_code: "cancelled" });
    expect(model.requests[2]?.messages.map(textOf)).toEqual(["one", "hello", "three"]);
    const outcome = await soon(next.outcome());
    expect(outcome.status, "the script asks again, from the same history").toBe("waiting");
    expect(notes.read(await runtime.threads.state("t1"))).toEqual(["free"]);
    assertValid(model.requests);
    await assertConsistent(tenant, "t1");
  });

  it("with enqueue waits until everything is decided", async () => {
    const { runtime, run, open, model, tenant } = await suspend(["a", "b"]);
    const next = await runtime.start({ ...at("later"), whenBusy: "enqueue" });
    await runtime.decisions.decide(open[1]?.id ?? "", { action: "deny" });
    await settle();
    expect(model.requests).toHaveLength(1);
    await runtime.decisions.decide(open[0]?.id ?? "", { action: "approve" });
    expect(await soon(next.outcome())).toMatchObject({ status: "done", text: "more" });
    expect(await run.record()).toMatchObject({ termination_code: "natural" });
    expect((await next.record()).parent_run_id).toBeUndefined();
    assertValid(model.requests);
    await assertSettled(tenant, "t1");
  });

  it("with reject is refused, and the question stays", async () => {
    const { runtime, run, call, tenant, keys } = await suspend(["a"]);
    const refused = runtime.start({ ...at("now"), whenBusy: "reject" });
    await expect(refused).rejects.toMatchObject({ code: "THREAD_BUSY" });
    expect(await runtime.decisions.list()).toMatchObject([{ id: call.id }]);
    expect((await tenant.listEntries({ thread_id: "t1", status: "queued" })).items).toEqual([]);
    await runtime.decisions.decide(call.id, { action: "approve" });
    expect(await soon(run.outcome())).toMatchObject({ status: "done" });
    expect(keys).toEqual([call.id]);
    await assertSettled(tenant, "t1");
  });

  it("with steer, while the run speaks its last word, commits that word before the model is called again", async () => {
    const stored: string[][] = [];
    const speaking = gate();
    const inner = scriptedModel(["first", "second"]);
    const model = {
      id: inner.id,
      async *stream(request: Parameters<typeof inner.stream>[0]) {
        stored.push((await world.tenant.readMessages("t1", 0)).messages.map(textOf));
        if (inner.requests.length === 0) await speaking.promise;
        yield* inner.stream(request);
      },
    };
    const world = await openRuntime({ model });
    const run = await world.runtime.start(at("go"));
    await until(() => stored.length === 1, "the model");
    await world.runtime.start({ ...at("and more"), whenBusy: "steer" });
    speaking.open();
    expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "second" });
    expect(stored[1]?.slice(0, 2)).toEqual(["go", "first"]);
    await assertSettled(world.tenant, "t1");
  });

  it("with steer, called off while the model reads it, does not harm the run it was for", async () => {
    const speaking = gate();
    const inner = scriptedModel([[{ call: "add", arguments: { title: "x" } }], "done"]);
    const working = gate();
    const model = {
      id: inner.id,
      async *stream(request: Parameters<typeof inner.stream>[0]) {
        if (inner.requests.length === 1) await speaking.promise;
        yield* inner.stream(request);
      },
    };
    const { tool, keys } = countingTool({ execute: () => working.promise });
    const { runtime, tenant } = await openRuntime({ model, tools: [tool] });
    const run = await runtime.start(at("go"));
    await until(() => keys.length === 1, "the tool");
    const steering = await runtime.start({ ...at("be brief"), whenBusy: "steer" });
    working.open();
    await settle();
    await steering.cancel().catch((error: unknown) => expect(error).toMatchObject({ code: "RUN_NOT_ACTIVE" }));
    speaking.open();
    expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "done" });
    await assertSettled(tenant, "t1");
  });

  it("with steer is read like the run that took it in, also from a cursor", async () => {
    const { runtime, run, call } = await suspend(["a"]);
    const steering = await runtime.start({ ...at("be brief"), whenBusy: "steer" });
    await runtime.decisions.decide(call.id, { action: "approve" });
    await soon(steering.outcome());
    const all = await collect(run, { follow: true });
    expect(await collect(steering, { follow: true })).toEqual(all);
    const [first] = await soon(Array.fromAsync(steering.eventsWithCursor({ follow: true })));
    const rest = await collect(steering, { follow: true, after: first?.cursor ?? "" });
    expect(rest).toEqual(all.slice(1));
  });

  it("with steer is taken in when the run continues", async () => {
    const { runtime, run, call, model, tenant, keys } = await suspend(["a"]);
    const steering = await runtime.start({ ...at("be brief"), whenBusy: "steer" });
    await settle();
    expect(await run.record(), "who waits is not at work").toMatchObject({ status: "waiting" });
    expect(model.requests).toHaveLength(1);
    await runtime.decisions.decide(call.id, { action: "approve" });
    expect(await soon(run.outcome())).toMatchObject({ status: "done" });
    expect(await soon(steering.outcome())).toMatchObject({ status: "done" });
    expect(keys).toEqual([call.id]);
    const last = model.requests.at(-1)?.messages ?? [];
    expect(last.map(textOf)).toContain("be brief");
    assertValid(model.requests);
    await assertSettled(tenant, "t1");
  });
});
