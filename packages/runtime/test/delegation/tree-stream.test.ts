import { type AgentEvent, awaitRun, type NewChildRun, parseCursor, type Tool } from "@reprise/contracts";
import { type Script, scriptedModel } from "@reprise/models";
import { createRuntime, defineAgent, defineTool, type Runtime } from "@reprise/runtime";
import { describe, expect, it, onTestFinished } from "vitest";
import { createWorld, type World } from "../support/open-runtime.ts";
import { soon, until } from "../support/wait.ts";

const delegate = defineTool({
  id: "delegate",
  description: "Has another agent work.",
  inputSchema: { type: "object", additionalProperties: true },
  class: "read_only",
  execute: async (child: NewChildRun, { runs }) => {
    const started = await runs.start(child);
    return child.background === true ? { ...started } : awaitRun(started);
  },
});

const ask = defineTool({
  id: "ask",
  description: "Needs a yes.",
  inputSchema: { type: "object" },
  needsApproval: true,
  execute: () => "asked",
});

interface Team {
  readonly boss: Script;
  readonly worker?: Script;
  readonly helper?: Script;
  readonly tools?: readonly Tool[];
}

async function openTeam(world: World, { boss, worker = ["found it"], helper = ["helped"], tools: more = [] }: Team) {
  const tools = [delegate, ask, ...more];
  const runtime = await createRuntime({
    ...world,
    agents: [
      defineAgent({ id: "boss", model: scriptedModel(boss, "boss"), tools }),
      defineAgent({ id: "worker", model: scriptedModel(worker, "worker"), tools }),
      defineAgent({ id: "helper", model: scriptedModel(helper, "helper"), tools }),
    ],
    limits: { closeTimeoutMs: 1 },
  });
  onTestFinished(() => void runtime.close().catch(() => undefined));
  return runtime;
}

const to = (agentId: string, more: Partial<NewChildRun> = {}) => ({
  call: "delegate",
  arguments: { agentId, prompt: "look", ...more },
});
const start = (runtime: Runtime) => runtime.start({ agent: "boss", threadId: "above", input: "go" });

/** What a reader of one run has, without the events that only its own stream makes. */
function journaled(events: readonly AgentEvent[], runId: string): readonly (number | undefined)[] {
  return events.filter((event) => event.run_id === runId && event.seq !== undefined).map(({ seq }) => seq);
}

const upTo = (last: number): readonly number[] => Array.from({ length: last }, (_, index) => index + 1);

describe("a reader of a run and the runs below it", () => {
  it("gets every event of three levels once, each with its lineage, and the end of a run before the result of its call", async () => {
    const runtime = await openTeam(createWorld(), {
      boss: [[to("worker")], "thanks"],
      worker: [[to("helper")], "found it"],
    });
    const run = await start(runtime);
    const events = await soon(Array.fromAsync(run.events({ children: "events" })));
    const [worker] = (await runtime.runs({ parentRunId: run.id })).items;
    const [helper] = (await runtime.runs({ parentRunId: worker?.run_id ?? "" })).items;
    for (const record of [await run.record(), worker, helper]) {
      expect(journaled(events, record?.run_id ?? "")).toEqual(upTo(record?.last_seq ?? 0));
    }
    const ofHelper = events.filter(({ run_id, seq }) => run_id === helper?.run_id && seq !== undefined);
    expect(ofHelper.map(({ lineage }) => lineage)).toEqual(
      ofHelper.map(() => ({
        parent_run_id: worker?.run_id,
        call_id: helper?.parent_call_id,
        agent_id: "helper",
        depth: 2,
      })),
    );
    const endOf = (runId = "") => events.findIndex((event) => event.run_id === runId && event.type === "run_finish");
    const resultOf = (callId = "") =>
      events.findIndex((event) => event.type === "tool_call_done" && event.data.id === callId);
    expect(endOf(helper?.run_id)).toBeLessThan(resultOf(helper?.parent_call_id));
    expect(endOf(worker?.run_id)).toBeLessThan(resultOf(worker?.parent_call_id));
    expect(events.at(-1)).toMatchObject({ type: "run_finish", run_id: run.id });
    expect(events.find(({ type }) => type === "child_run_start")).toMatchObject({
      run_id: run.id,
      data: { child_run_id: worker?.run_id, agent_id: "worker", depth: 1 },
    });
    for (const { run_id } of (await runtime.runs()).items)
      expect(await soon(runtime.replay(run_id))).toMatchObject({ equal: true });
  });

  it("continues after any event without a gap or a repeat", async () => {
    const runtime = await openTeam(createWorld(), {
      boss: [[to("worker", { key: "a" }), to("worker", { key: "b" })], "thanks"],
      worker: ({ messages }) => (messages.length === 1 ? [to("helper")] : "found it"),
      helper: () => "helped",
    });
    const run = await start(runtime);
    const all = await soon(Array.fromAsync(run.eventsWithCursor({ children: "events" })));
    const idOf = ({ event }: { readonly event: AgentEvent }) =>
      event.seq === undefined ? [] : [`${event.run_id}:${event.seq}`];
    const whole = all.flatMap(idOf).sort();
    expect(new Set(whole).size).toBe(whole.length);
    for (const [index, { cursor }] of all.entries()) {
      const rest = await soon(Array.fromAsync(run.eventsWithCursor({ children: "events", after: cursor })));
      const both = [...all.slice(0, index + 1), ...rest].flatMap(idOf);
      expect(both.toSorted()).toEqual(whole);
    }
    // What was read to its end is not in the cursor.
    expect(parseCursor(all.at(-1)?.cursor ?? "")?.below).toBeUndefined();
  });

  it("is told only how they stand when it asks for progress", async () => {
    const runtime = await openTeam(createWorld(), { boss: [[to("worker")], "thanks"] });
    const run = await start(runtime);
    const events = await soon(Array.fromAsync(run.events({ children: "progress" })));
    expect(new Set(events.map(({ run_id }) => run_id))).toEqual(new Set([run.id]));
    const told = events.flatMap((event) => (event.type === "child_run_progress" ? [event.data] : []));
    expect(told.at(-1)).toMatchObject({ agent_id: "worker", status: "completed", step: 1, id: `${run.id}-s1-c0` });
  });

  it("reads a run in the background to its end when it follows", async () => {
    const runtime = await openTeam(createWorld(), {
      boss: ({ messages }) => (messages.length === 1 ? [to("worker", { background: true })] : "noted"),
    });
    const run = await start(runtime);
    const events = await soon(Array.fromAsync(run.events({ children: "events", follow: true })));
    const [worker] = (await runtime.runs({ parentRunId: run.id })).items;
    expect(worker).toMatchObject({ background: true, parent_call_id: `${run.id}-s1-c0` });
    expect(journaled(events, worker?.run_id ?? "")).toEqual(upTo(worker?.last_seq ?? 0));
  });

  it("is let go where every run below needs a person, and the decisions are independent of each other", async () => {
    const runtime = await openTeam(createWorld(), {
      boss: [[to("worker", { key: "a" }), to("worker", { key: "b" })], "thanks"],
      worker: ({ messages }) => (messages.length === 1 ? [{ call: "ask", arguments: {} }] : "done"),
    });
    const run = await start(runtime);
    const first = await soon(Array.fromAsync(run.eventsWithCursor({ children: "events" })));
    const asked = first.flatMap(({ event }) =>
      event.type === "tool_call_done" && event.data.suspended !== undefined ? [event] : [],
    );
    expect(asked).toHaveLength(2);
    expect(asked.every(({ lineage }) => lineage?.parent_run_id === run.id)).toBe(true);
    // The later one first.
    await runtime.decisions.decide(asked[1]?.data.id ?? "", { action: "approve" });
    const after = first.at(-1)?.cursor ?? "";
    const second = await soon(Array.fromAsync(run.eventsWithCursor({ children: "events", after })));
    const answered = { type: "tool_call_done", run_id: run.id, data: { id: asked[1]?.lineage?.call_id } };
    expect(second.at(-1)?.event).toMatchObject(answered);
    await runtime.decisions.decide(asked[0]?.data.id ?? "", { action: "deny" });
    const rest = await soon(
      Array.fromAsync(run.eventsWithCursor({ children: "events", after: second.at(-1)?.cursor ?? after })),
    );
    expect(rest.at(-1)?.event).toMatchObject({ type: "run_finish", run_id: run.id });
    await until(async () => (await run.record()).status === "done");
    const all = [...first, ...second, ...rest].flatMap(({ event }) =>
      event.seq === undefined ? [] : [`${event.run_id}:${event.seq}`],
    );
    expect(new Set(all).size).toBe(all.length);
  });

  it("does not get events of runs that its cursor made up", async () => {
    const runtime = await openTeam(createWorld(), { boss: ["mine", "secret"] });
    const run = await start(runtime);
    await soon(run.outcome());
    const other = await runtime.start({ agent: "boss", threadId: "other", input: "go" });
    await soon(other.outcome());
    const after = `${run.id}:0:0/${other.id}:1:1`;
    const events = await soon(Array.fromAsync(run.events({ children: "events", follow: true, after })));
    expect(new Set(events.map(({ run_id }) => run_id))).toEqual(new Set([run.id]));
  });
});

it("adds up what the runs below took, in the end of a run and in its record", async () => {
  const usage = { usage: { promptTokens: 10, completionTokens: 2 } };
  const runtime = await openTeam(createWorld(), {
    boss: [
      [to("worker"), usage],
      [{ text: "thanks" }, usage],
    ],
    worker: [
      [to("helper"), usage],
      [{ text: "found it" }, usage],
    ],
    helper: [[{ text: "helped" }, usage]],
  });
  const run = await start(runtime);
  const events = await soon(Array.fromAsync(run.events()));
  const own = { input_tokens: 20, output_tokens: 4, runs: 1 };
  const total = { input_tokens: 50, output_tokens: 10, runs: 3 };
  expect(events.at(-1)).toMatchObject({ type: "run_finish", data: { spent: { own, total } } });
  expect(await run.record()).toMatchObject({ input_tokens: 20, total });
  expect(await soon(runtime.replay(run.id))).toMatchObject({ equal: true });
});

it("gives a run below the conversation and the state of its caller, without open calls, when the call asks for it", async () => {
  const worker = scriptedModel(["found it"], "worker");
  const boss = scriptedModel(
    [[{ call: "note", arguments: {} }], [to("worker", { forkContext: true })], "thanks"],
    "boss",
  );
  const note = defineTool({
    id: "note",
    description: "Notes.",
    inputSchema: { type: "object" },
    execute: () => "noted",
  });
  const runtime = await createRuntime({
    ...createWorld(),
    agents: [
      defineAgent({ id: "boss", model: boss, tools: [delegate, note] }),
      defineAgent({ id: "worker", model: worker }),
    ],
    limits: { closeTimeoutMs: 1 },
  });
  onTestFinished(() => void runtime.close().catch(() => undefined));
  const run = await runtime.start({ agent: "boss", threadId: "above", input: "go", state: { city: "Oslo" } });
  expect(await soon(run.outcome())).toMatchObject({ status: "done" });
  const [child] = (await runtime.runs({ parentRunId: run.id })).items;
  const seen = worker.requests[0]?.messages ?? [];
  expect(seen.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user"]);
  expect(seen.flatMap(({ tool_calls = [] }) => tool_calls.map(({ name }) => name))).toEqual(["note"]);
  expect(await runtime.threads.state(child?.thread_id ?? "")).toMatchObject({ city: "Oslo" });
  for (const id of [run.id, child?.run_id ?? ""]) expect(await soon(runtime.replay(id))).toMatchObject({ equal: true });
});
