import { type PhaseAction, suspendCall, suspendTool, type ToolContext } from "@reprise/contracts";
import { definePlugin } from "@reprise/runtime";
import type { Json } from "@reprise/state";
import { describe, expect, it } from "vitest";
import { openRuntime } from "../support/open-runtime.ts";
import { suspend } from "../support/suspend.ts";
import { countingTool, notes } from "../support/tools.ts";
import { settle, soon, until } from "../support/wait.ts";
import { byHistory, resultOf } from "./support/by-history.ts";
import { assertSettled, assertValid } from "./support/settled.ts";

const ASKED = { call: "add", arguments: { title: "asked" } } as const;

/** A tool that asks its questions one after another and answers with all it was told. */
function inquiring(questions: readonly string[]) {
  const told: Json[] = [];
  const asked = countingTool({
    execute(_, { decision }: ToolContext) {
      if (decision?.result !== undefined) told.push(decision.result);
      const next = questions[told.length];
      return next === undefined ? { told: [...told] } : suspendTool({ action: next });
    },
  });
  return { ...asked, told };
}

describe("a tool that suspends again after a decision", () => {
  it("has a new question each time, with its own number, id and decision", async () => {
    const { tool, keys } = inquiring(["name", "age"]);
    const { runtime, model, tenant } = await openRuntime({ script: byHistory([[ASKED], "after"]), tools: [tool] });
    const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    const callId = `${run.id}-s1-c0`;
    await soon(run.outcome());
    const [first] = await runtime.decisions.list();
    expect(first).toMatchObject({ id: callId, suspension: 1, ticket: { suspension: { action: "name" } } });

    const answer = await runtime.decisions.decide(callId, { action: "supply", result: "Ann" });
    expect(answer).toMatchObject({ decision_id: `decision_${callId}_1`, suspension: 1 });
    expect(await soon(run.outcome())).toMatchObject({ status: "waiting" });
    const [second] = await runtime.decisions.list();
    expect(second).toMatchObject({ id: callId, suspension: 2, ticket: { suspension: { action: "age" } } });
    expect(second?.ticket?.suspension.id).not.toBe(first?.ticket?.suspension.id);
    expect(second?.binding_hash).toBe(first?.binding_hash);
    await settle();
    expect(keys, "the first answer does not count for the second question").toHaveLength(2);

    const next = await runtime.decisions.decide(callId, { action: "supply", result: 30 });
    expect(next).toMatchObject({ decision_id: `decision_${callId}_2`, suspension: 2 });
    expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "after" });
    expect(resultOf(model.requests[1], callId)).toBe('{"told":["Ann",30]}');
    expect(keys).toEqual([callId, callId, callId]);
    assertValid(model.requests);
    await assertSettled(tenant, "t1");
  });

  it("takes nothing by the id of the question before", async () => {
    const { tool } = inquiring(["name", "age"]);
    const { runtime, tenant } = await openRuntime({ script: byHistory([[ASKED], "after"]), tools: [tool] });
    const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    await soon(run.outcome());
    const [first] = await runtime.decisions.list();
    const question = first?.ticket?.suspension.id ?? "";
    await runtime.decisions.decide(question, { action: "supply", result: "Ann" });
    await until(async () => (await runtime.decisions.list())[0]?.suspension === 2, "the second question");
    const late = runtime.decisions.decide(question, { action: "supply", result: "Bob" });
    await expect(late).rejects.toMatchObject({ code: expect.stringMatching(/CALL_NOT_FOUND|NOT_SUSPENDED|CONFLICT/) });
    const [second] = await runtime.decisions.list();
    await runtime.decisions.decide(second?.ticket?.suspension.id ?? "", { action: "supply", result: 30 });
    expect(await soon(run.outcome())).toMatchObject({ status: "done" });
    await assertSettled(tenant, "t1");
  });

  it("is answered by another process each time", async () => {
    const world = await openRuntime({ script: byHistory([[ASKED], "after"]), tools: [staged(3)] });
    const run = await world.runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    const callId = `${run.id}-s1-c0`;
    await soon(run.outcome());
    const { env, store, blobs } = world;
    let before = world;
    for (const number of [1, 2, 3]) {
      await before.runtime.close();
      const options = { world: { env, store, blobs }, script: byHistory([[ASKED], "after"]), tools: [staged(3)] };
      const next = await openRuntime(options);
      await next.runtime.decisions.decide(callId, { action: "supply", result: number });
      const outcome = await soon((await next.runtime.run(run.id)).outcome());
      expect(outcome.status).toBe(number < 3 ? "waiting" : "done");
      before = next;
    }
    expect(notes.read(await before.runtime.threads.state("t1"))).toEqual(["1", "2", "3"]);
    await assertSettled(before.tenant, "t1");
  });
});

/** Notes every answer and asks until it has enough: what it knows is in the thread, not in a process. */
function staged(enough: number) {
  return countingTool({
    execute(_, { decision, state }) {
      if (decision === undefined) return suspendTool({ action: "more" });
      state.apply(notes.add(String(decision.result)));
      const count = state.get(notes).length;
      if (count >= enough) return { count };
      return suspendTool({ action: "more" });
    },
  }).tool;
}

function asking(id: string, ask: (suspension: number) => PhaseAction<"suspend"> | undefined) {
  return definePlugin({
    id,
    hooks: { beforeToolExecute: ({ call }) => [ask(call.suspension) ?? []].flat() },
  });
}

async function openGuarded(plugins: readonly ReturnType<typeof definePlugin>[]) {
  const { tool, keys } = countingTool();
  const bench = await openRuntime({ script: byHistory([[ASKED], "after"]), tools: [tool], agent: { plugins } });
  const run = await bench.runtime.start({ agent: "agent", threadId: "t1", input: "go" });
  await soon(run.outcome());
  return { ...bench, run, callId: `${run.id}-s1-c0`, keys };
}

describe("a plugin that asks", () => {
  it("is not heard again about a call once it was answered", async () => {
    const { runtime, run, callId, keys, tenant } = await openGuarded([
      asking("guard", () => suspendCall({ action: "sure?" })),
    ]);
    await runtime.decisions.decide(callId, { action: "approve" });
    expect(await soon(run.outcome())).toMatchObject({ status: "done" });
    expect(keys).toEqual([callId]);
    await assertSettled(tenant, "t1");
  });

  it("is heard again when it insists, under a new number and id; the old decision does not count", async () => {
    const { runtime, run, callId, keys, tenant } = await openGuarded([
      asking("guard", (suspension) =>
        suspension < 3 ? suspendCall({ action: `sure ${suspension}?`, again: true }) : undefined,
      ),
    ]);
    const ids = new Set<string>();
    for (const number of [1, 2, 3]) {
      const [open] = await runtime.decisions.list();
      expect(open).toMatchObject({ suspension: number, ticket: { suspension: { action: `sure ${number - 1}?` } } });
      ids.add(open?.ticket?.suspension.id ?? "");
      expect(keys).toEqual([]);
      await runtime.decisions.decide(callId, { action: "approve" });
      await soon(run.outcome());
    }
    expect(ids.size).toBe(3);
    expect(await run.record()).toMatchObject({ status: "done" });
    expect(keys).toEqual([callId]);
    await assertSettled(tenant, "t1");
  });

  it("leaves the next one its question", async () => {
    const { runtime, run, callId, keys, tenant } = await openGuarded([
      asking("first", () => suspendCall({ action: "first" })),
      asking("second", () => suspendCall({ action: "second" })),
    ]);
    const asked: (string | undefined)[] = [];
    for (let turn = 0; turn < 2; turn += 1) {
      const [open] = await runtime.decisions.list();
      asked.push(open?.ticket?.asked_by);
      expect(keys).toEqual([]);
      await runtime.decisions.decide(callId, { action: "approve" });
      await soon(run.outcome());
    }
    expect(asked).toEqual(["plugin:first", "plugin:second"]);
    expect(keys).toEqual([callId]);
    await assertSettled(tenant, "t1");
  });
});

describe("edited arguments", () => {
  it.each([
    ["of the wrong type", { title: 7 }],
    ["of another shape", { name: "x" }],
    ["that are no object", "x"],
    ["that are null", null],
  ])("%s are refused, and the tool does not run", async (_, edited) => {
    const { runtime, call, keys, tenant, run } = await suspend();
    const decided = runtime.decisions.decide(call.id, { action: "edit", arguments: edited as Json });
    await expect(decided).rejects.toMatchObject({ code: "INVALID_ARGUMENTS" });
    expect(keys).toEqual([]);
    expect(await tenant.loadCall(run.id, call.id)).toMatchObject({ status: "suspended", suspension: 1 });
  });

  it("are what the plugins are asked about", async () => {
    const seen: unknown[] = [];
    const guard = definePlugin({
      id: "guard",
      hooks: {
        beforeToolExecute: ({ call }) => {
          seen.push(call.arguments);
          return [];
        },
      },
    });
    const { runtime, run, call } = await suspend(["asked"], { agent: { plugins: [guard] } });
    await runtime.decisions.decide(call.id, { action: "edit", arguments: { title: "edited" } });
    await soon(run.outcome());
    expect(seen).toEqual([{ title: "asked" }, { title: "edited" }]);
  });
});

const EMPTY: readonly Json[] = [false, 0, "", null, [], {}];

describe("a supplied value that looks like nothing", () => {
  it.each(EMPTY.map((value) => [JSON.stringify(value), value] as const))("%s is the result", async (_, value) => {
    for (const asker of ["replay_tool_call", "use_decision_as_tool_result"] as const) {
      const plugin = asking("guard", () => suspendCall({ action: "form", resumeMode: asker }));
      const { runtime, run, callId, keys, model, tenant } = await openGuarded([plugin]);
      await runtime.decisions.decide(callId, { action: "supply", result: value });
      expect(await soon(run.outcome())).toMatchObject({ status: "done" });
      expect(keys).toEqual([]);
      expect(resultOf(model.requests[1], callId)).toBe(typeof value === "string" ? value : JSON.stringify(value));
      await assertSettled(tenant, "t1");
    }
  });

  it.each(EMPTY.map((value) => [JSON.stringify(value), value] as const))("%s reaches the tool", async (_, value) => {
    for (const how of ["decide", "request"] as const) {
      const seen: unknown[] = [];
      const { tool } = countingTool({
        execute(__, { decision }) {
          if (decision === undefined) return suspendTool({ action: "value" });
          seen.push(decision.result);
          return "ok";
        },
      });
      const { runtime } = await openRuntime({ script: byHistory([[ASKED], "after"]), tools: [tool] });
      const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
      await soon(run.outcome());
      const target_id = `${run.id}-s1-c0`;
      if (how === "decide") await runtime.decisions.decide(target_id, { action: "supply", result: value });
      else {
        const initial_decisions = [{ target_id, action: "resume" as const, result: value }];
        await runtime.submit({ agent_id: "agent", thread_id: "t1", messages: [], initial_decisions });
      }
      expect(await soon(run.outcome())).toMatchObject({ status: "done" });
      expect(seen, how).toEqual([value]);
    }
  });
});
