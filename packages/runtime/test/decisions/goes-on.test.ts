import { suspendTool, textOf } from "@reprise/contracts";
import { type Script, type ScriptTurn, scriptedModel } from "@reprise/models";
import { describe, expect, it } from "vitest";
import { assertConsistent } from "../support/assert-consistent.ts";
import { openRuntime } from "../support/open-runtime.ts";
import { countingTool, notes } from "../support/tools.ts";
import { collect, gate, settle, soon, until } from "../support/wait.ts";
import { byHistory, resultOf, resultsIn, shapeOf } from "./support/by-history.ts";
import { assertSettled, assertValid } from "./support/settled.ts";

const ASKED = { call: "add", arguments: { title: "asked" } } as const;
const FREE = { call: "free", arguments: { title: "free" } } as const;

async function goOn(turns: readonly ScriptTurn[] | Script, options: { readonly mode?: "sequential" } = {}) {
  const asking = countingTool({ needsApproval: true });
  const free = countingTool({ id: "free" });
  const bench = await openRuntime({
    script: typeof turns === "function" ? turns : byHistory(turns),
    tools: [asking.tool, free.tool],
    agent: {
      partialSuspension: "continue",
      ...(options.mode !== undefined && { toolExecutionMode: options.mode }),
    },
  });
  const run = await bench.runtime.start({ agent: "agent", threadId: "t1", input: "go" });
  const outcome = await soon(run.outcome(), "the first rest");
  return { ...bench, run, outcome, asked: asking.keys, free: free.keys };
}

describe("an agent that continues while some of its calls wait", () => {
  it("calls the model with a placeholder that is not kept, then waits when it has nothing more to say", async () => {
    const { outcome, run, model, tenant, runtime, asked, free } = await goOn([[ASKED, FREE], "Meanwhile.", "The end."]);
    const [id, other] = [`${run.id}-s1-c0`, `${run.id}-s1-c1`];
    expect(outcome).toMatchObject({ status: "waiting", open: [{ id }] });
    expect([asked.length, free.length]).toEqual([0, 1]);
    expect(model.requests).toHaveLength(2);
    expect(resultsIn(model.requests[1])).toEqual([
      [id, expect.stringContaining("awaiting_decision")],
      [other, '{"count":1}'],
    ]);
    assertValid(model.requests);
    const stored = (await tenant.readMessages("t1", 0)).messages;
    expect(stored.flatMap(({ tool_call_id }) => tool_call_id ?? [])).toEqual([other]);
    expect((await runtime.threads.messages("t1")).messages.map(textOf)).toContain("Meanwhile.");
    await assertConsistent(tenant, "t1");
  });

  it("is woken by a decision, puts the real result in the placeholder's place and calls the model again", async () => {
    const { run, model, tenant, runtime, asked } = await goOn([[ASKED, FREE], "Meanwhile.", "The end."]);
    const id = `${run.id}-s1-c0`;
    await runtime.decisions.decide(id, { action: "approve" });
    expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "The end." });
    expect(asked).toEqual([id]);
    expect(model.requests).toHaveLength(3);
    expect(resultOf(model.requests[2], id)).toBe('{"count":2}');
    expect(shapeOf(model.requests[2]?.messages ?? [])).toEqual(["user", "calls:2", "result", "result", "text"]);
    assertValid(model.requests);
    await assertSettled(tenant, "t1");
  });

  it.each([
    ["deny", { action: "deny" }, "denied"],
    ["supply", { action: "supply", result: "given" }, "given"],
  ] as const)("reads what became of a call that is decided by %s", async (_, verb, text) => {
    const { run, model, tenant, runtime, asked } = await goOn([[ASKED, FREE], "Meanwhile.", "The end."]);
    await runtime.decisions.decide(`${run.id}-s1-c0`, verb);
    expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "The end." });
    expect(asked).toEqual([]);
    expect(resultOf(model.requests[2], `${run.id}-s1-c0`)).toContain(text);
    assertValid(model.requests);
    await assertSettled(tenant, "t1");
  });

  it("waits at once when no call of the round has a result", async () => {
    const { outcome, run, model, runtime, tenant } = await goOn([[ASKED, ASKED], "The end.", "Really."]);
    expect(outcome).toMatchObject({ status: "waiting", open: [{}, {}] });
    expect(model.requests).toHaveLength(1);
    await runtime.decisions.decide(`${run.id}-s1-c1`, { action: "approve" });
    await until(() => model.requests.length === 2, "the model");
    expect(resultsIn(model.requests[1])).toEqual([
      [`${run.id}-s1-c0`, expect.stringContaining("awaiting_decision")],
      [`${run.id}-s1-c1`, '{"count":1}'],
    ]);
    await until(async () => (await run.record()).status === "waiting", "the rest");
    await runtime.decisions.decide(`${run.id}-s1-c0`, { action: "approve" });
    expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "Really." });
    assertValid(model.requests);
    await assertSettled(tenant, "t1");
  });

  it("may ask for more while an older call waits, and the two are decided in any order", async () => {
    for (const order of [
      [0, 1],
      [1, 0],
    ]) {
      const { run, model, tenant, runtime, asked } = await goOn(({ messages }) => {
        const said = messages.filter(({ role }) => role === "assistant").length;
        if (said === 0) return [ASKED, FREE];
        if (said === 1) return [{ call: "add", arguments: { title: "second" } }, FREE];
        return `said ${said}`;
      });
      const ids = [`${run.id}-s1-c0`, `${run.id}-s2-c0`];
      expect((await runtime.decisions.list()).map(({ id }) => id)).toEqual(ids);
      for (const index of order) {
        await runtime.decisions.decide(ids[index] ?? "", { action: "approve" });
        await settle();
        assertValid(model.requests);
        await assertConsistent(tenant, "t1");
      }
      expect(await soon(run.outcome())).toMatchObject({ status: "done" });
      expect(asked).toEqual(order.map((index) => ids[index]));
      const last = resultsIn(model.requests.at(-1)).map(([id]) => id);
      expect(last).toEqual([ids[0], `${run.id}-s1-c1`, ids[1], `${run.id}-s2-c1`]);
      await assertSettled(tenant, "t1");
    }
  });

  it("waits also when the model answers with nothing at all", async () => {
    const { outcome, run, runtime, tenant, asked } = await goOn([[ASKED, FREE], [], "The end."]);
    expect(outcome, "an open call is no reason to end").toMatchObject({ status: "waiting", open: [{}] });
    await runtime.decisions.decide(`${run.id}-s1-c0`, { action: "approve" });
    await soon(run.outcome());
    expect(asked).toHaveLength(1);
    await assertSettled(tenant, "t1");
  });

  it("keeps what a tool queued until the model may read it, behind the results", async () => {
    const asking = countingTool({ needsApproval: true });
    const talk = countingTool({
      id: "talk",
      execute: (_, context) => {
        context.queueMessage({ role: "user", content: "by the way" });
        return "talked";
      },
    });
    const { runtime, model, tenant } = await openRuntime({
      script: byHistory([[ASKED, { call: "talk", arguments: { title: "x" } }], "Meanwhile.", "The end."]),
      tools: [asking.tool, talk.tool],
      agent: { partialSuspension: "continue" },
    });
    const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    await soon(run.outcome());
    assertValid(model.requests);
    await runtime.decisions.decide(`${run.id}-s1-c0`, { action: "approve" });
    expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "The end." });
    assertValid(model.requests);
    expect(model.requests.at(-1)?.messages.map(textOf)).toContain("by the way");
    await assertSettled(tenant, "t1");
  });

  it("shows its first answer, and finishes with the last", async () => {
    const { run, runtime } = await goOn([[ASKED, FREE], "Meanwhile.", "The end."]);
    await runtime.decisions.decide(`${run.id}-s1-c0`, { action: "approve" });
    await soon(run.outcome());
    const events = await collect(run, { follow: true });
    const ends = events.flatMap((event) => (event.type === "run_finish" ? [event.data] : []));
    expect(ends).toMatchObject([
      { termination: { type: "suspended" } },
      { termination: { type: "natural_end" }, result: { response: "The end." } },
    ]);
    const text = events.flatMap((event) => (event.type === "text_delta" ? [event.data.delta] : []));
    expect(text.join("")).toBe("Meanwhile.The end.");
  });

  it("continues one call at a time: what stands behind a question waits, and the model continues without it", async () => {
    const { outcome, run, model, runtime, tenant, free } = await goOn(
      [[FREE, ASKED, { call: "free", arguments: { title: "later" } }], "Meanwhile.", "The end."],
      { mode: "sequential" },
    );
    expect(outcome).toMatchObject({ status: "waiting", open: [{ id: `${run.id}-s1-c1` }] });
    expect(free).toHaveLength(1);
    assertValid(model.requests);
    await runtime.decisions.decide(`${run.id}-s1-c1`, { action: "approve" });
    expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "The end." });
    expect(notes.read(await runtime.threads.state("t1"))).toEqual(["free", "asked", "later"]);
    assertValid(model.requests);
    await assertSettled(tenant, "t1");
  });

  it("has asked before it continues: a question is open while the model speaks", async () => {
    const speaking = gate();
    const inner = scriptedModel(
      byHistory([[ASKED, { call: "add", arguments: { title: "next" } }], "Meanwhile.", "The end."]),
    );
    const model = {
      id: inner.id,
      async *stream(request: Parameters<typeof inner.stream>[0]) {
        if (inner.requests.length > 0) await speaking.promise;
        yield* inner.stream(request);
      },
    };
    const asking = countingTool({ needsApproval: true });
    const { runtime, tenant } = await openRuntime({
      model,
      tools: [asking.tool],
      agent: { partialSuspension: "continue", toolExecutionMode: "sequential" },
    });
    const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    await soon(run.outcome());
    await runtime.decisions.decide(`${run.id}-s1-c0`, { action: "approve" });
    await until(() => asking.keys.length === 1, "the first call");
    await settle();
    expect(await runtime.decisions.list()).toMatchObject([{ id: `${run.id}-s1-c1` }]);
    speaking.open();
    await until(async () => (await run.record()).status === "waiting", "the rest");
    await runtime.decisions.decide(`${run.id}-s1-c1`, { action: "approve" });
    expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "The end." });
    assertValid(inner.requests);
    await assertSettled(tenant, "t1");
  });

  it("hears of a question that ran out", async () => {
    const asking = countingTool({
      execute: (_, { decision }) => (decision ? "ok" : suspendTool({ action: "soon", expiresInMs: 5_000 })),
    });
    const free = countingTool({ id: "free" });
    const { runtime, model, env, tenant } = await openRuntime({
      script: byHistory([[ASKED, FREE], "Meanwhile.", "The end."]),
      tools: [asking.tool, free.tool],
      agent: { partialSuspension: "continue" },
    });
    const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    expect(await soon(run.outcome())).toMatchObject({ status: "waiting" });
    await env.advance(7_000);
    expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "The end." });
    expect(resultOf(model.requests[2], `${run.id}-s1-c0`)).toContain("expired");
    assertValid(model.requests);
    await assertSettled(tenant, "t1");
  });

  it("ends like any other when a new message comes: what is open is superseded", async () => {
    const { run, model, runtime, tenant } = await goOn([[ASKED, FREE], "Meanwhile.", "Fine."]);
    const next = await runtime.start({ agent: "agent", threadId: "t1", input: "never mind" });
    expect(await soon(next.outcome())).toMatchObject({ status: "done", run: { parent_run_id: run.id } });
    expect(resultOf(model.requests[2], `${run.id}-s1-c0`)).toContain("superseded");
    expect(shapeOf(model.requests[2]?.messages ?? [])).toEqual(["user", "calls:2", "result", "result", "text", "user"]);
    assertValid(model.requests);
    await assertSettled(tenant, "t1");
  });
});
