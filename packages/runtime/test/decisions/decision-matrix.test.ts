import type { DecisionVerb, ResumeMode, ToolExecutionMode } from "@reprise/contracts";
import { type ScriptedModel, scriptedModel } from "@reprise/models";
import type { RunHandle } from "@reprise/runtime";
import { describe, expect, it } from "vitest";
import { bindingHash, toolVersion } from "../../src/resolve/tool-version.ts";
import { type Bench, createWorld, type OpenOptions, openRuntime } from "../support/open-runtime.ts";
import { countingTool, notes } from "../support/tools.ts";
import { collect, gate, settle, soon, until } from "../support/wait.ts";
import { type Asker, type Asking, askingTool, expectedOf, VERBS, WAYS } from "./support/asking.ts";
import { byHistory, resultOf } from "./support/by-history.ts";
import { assertSettled, assertValid } from "./support/settled.ts";

const ASKED = { call: "add", arguments: { title: "asked" } } as const;

/** A run whose one asked call was decided, and the bench on which it came to its end. */
interface Decided {
  readonly bench: Bench;
  readonly run: RunHandle;
  readonly callId: string;
  readonly asking: Asking;
  readonly requests: ScriptedModel["requests"];
}

interface Case {
  readonly asker: Asker;
  readonly mode: ResumeMode;
  readonly verb: DecisionVerb;
}

const CASES: readonly Case[] = WAYS.flatMap(([asker, mode]) => VERBS.map((verb) => ({ asker, mode, verb })));

function named(cases: readonly Case[]): readonly (readonly [string, Case])[] {
  return cases.map((one) => [`${one.asker}, ${one.mode}, ${one.verb.action}`, one] as const);
}

async function start({ runtime }: Bench): Promise<RunHandle> {
  return runtime.start({ agent: "agent", threadId: "t1", input: "go" });
}

/** The rows of the table: whatever the way there, this is where the call, the thread and the model stand. */
async function assertDecided({ mode, verb }: Case, { bench, run, callId, asking, requests }: Decided): Promise<void> {
  const expected = expectedOf(mode, verb);
  expect(await soon(run.outcome(), "the end")).toMatchObject({ status: "done", text: "after" });
  const row = await bench.tenant.loadCall(run.id, callId);
  expect(row).toMatchObject({ status: expected.status, suspension: 1 });
  if (verb.action === "edit" && expected.noted.length > 0) expect(row?.arguments).toEqual(verb.arguments);
  const told = resultOf(requests.at(-1), callId) ?? "";
  if (verb.action === "deny") {
    expect(JSON.parse(told)).toMatchObject({ error: { code: expected.text } });
    expect(told).toContain("Not today.");
  } else expect(told).toBe(expected.text);
  expect(notes.read(await bench.runtime.threads.state("t1"))).toEqual(expected.noted);
  expect(asking.done).toEqual(expected.noted.map(() => callId));
  expect(await eventsOf(run, callId)).toEqual([
    "done suspended",
    `resumed ${verb.action === "deny" ? "cancel" : "resume"}`,
    `done ${expected.status}`,
  ]);
  assertValid(requests);
  await assertSettled(bench.tenant, "t1");
  expect(await bench.runtime.decisions.list()).toEqual([]);
}

/** What readers were told of a call once it was asked for. */
async function eventsOf(run: RunHandle, callId: string): Promise<readonly string[]> {
  return (await collect(run, { follow: true })).flatMap((event) => {
    if (event.type === "tool_call_done" && event.data.id === callId) return `done ${event.data.outcome}`;
    if (event.type !== "tool_call_resumed" || event.data.target_id !== callId) return [];
    return `resumed ${(event.data.result as { action: string }).action}`;
  });
}

async function waiting(asking: Asking, options: OpenOptions = {}) {
  const bench = await openRuntime({
    script: byHistory([[ASKED], "after"]),
    tools: [asking.tool],
    agent: asking.agent,
    ...options,
  });
  const run = await start(bench);
  expect(await soon(run.outcome(), "the suspension")).toMatchObject({ status: "waiting" });
  return { bench, run, callId: `${run.id}-s1-c0` };
}

describe("a decision made in the same process", () => {
  it.each(named(CASES))("%s", async (_, one) => {
    const asking = askingTool(one.asker, one.mode);
    const { bench, run, callId } = await waiting(asking);
    await bench.runtime.decisions.decide(callId, one.verb);
    await assertDecided(one, { bench, run, callId, asking, requests: bench.model.requests });
  });
});

describe("a decision made in another process, when the first is gone", () => {
  it.each(named(CASES))("%s", async (_, one) => {
    const world = createWorld();
    const first = await waiting(askingTool(one.asker, one.mode), { world });
    await first.bench.runtime.close();
    const asking = askingTool(one.asker, one.mode);
    const script = byHistory([[ASKED], "after"]);
    const bench = await openRuntime({ world, script, tools: [asking.tool], agent: asking.agent });
    await bench.runtime.decisions.decide(first.callId, one.verb);
    const run = await bench.runtime.run(first.run.id);
    await assertDecided(one, { bench, run, callId: first.callId, asking, requests: bench.model.requests });
  });
});

describe.each(["parallel_streaming", "parallel_batch_approval"] as const)(
  "a decision made while another call of the round runs, %s",
  (toolExecutionMode: ToolExecutionMode) => {
    it.each(named(CASES))("%s", async (_, one) => {
      const asking = askingTool(one.asker, one.mode);
      const release = gate();
      const slow = countingTool({ id: "slow", class: "read_only", execute: () => release.promise });
      const bench = await openRuntime({
        script: byHistory([[ASKED, { call: "slow", arguments: { title: "beside" } }], "after"]),
        tools: [asking.tool, slow.tool],
        agent: { ...asking.agent, toolExecutionMode },
      });
      const run = await start(bench);
      const callId = `${run.id}-s1-c0`;
      await until(() => slow.keys.length === 1, "the call beside it");
      expect(await bench.runtime.decisions.list()).toMatchObject([{ id: callId, suspension: 1 }]);
      await bench.runtime.decisions.decide(callId, one.verb);
      await settle();
      // While the round runs the decision counts at once, or not at all.
      const status = (await bench.tenant.loadCall(run.id, callId))?.status;
      const isStreaming = toolExecutionMode === "parallel_streaming";
      expect(status).toBe(isStreaming ? expectedOf(one.mode, one.verb).status : "suspended");
      expect(bench.model.requests).toHaveLength(1);
      release.open();
      await assertDecided(one, { bench, run, callId, asking, requests: bench.model.requests });
    });
  },
);

describe("a decision on the first of two calls, one at a time", () => {
  it.each(named(CASES))("%s", async (_, one) => {
    const asking = askingTool(one.asker, one.mode);
    const seen: unknown[] = [];
    const behind = countingTool({
      id: "behind",
      class: "read_only",
      execute: (__, { state }) => {
        seen.push([...state.get(notes)]);
        return "behind";
      },
    });
    const bench = await openRuntime({
      script: byHistory([[ASKED, { call: "behind", arguments: { title: "x" } }], "after"]),
      tools: [asking.tool, behind.tool],
      agent: { ...asking.agent, toolExecutionMode: "sequential" },
    });
    const run = await start(bench);
    await soon(run.outcome(), "the suspension");
    expect(seen, "what stands behind a question waits").toEqual([]);
    const callId = `${run.id}-s1-c0`;
    await bench.runtime.decisions.decide(callId, one.verb);
    await assertDecided(one, { bench, run, callId, asking, requests: bench.model.requests });
    expect(seen, "and sees what came of it").toEqual([expectedOf(one.mode, one.verb).noted]);
  });
});

describe("a decision made before the suspension, with the binding hash", () => {
  it.each(named(CASES))("%s", async (_, one) => {
    const asking = askingTool(one.asker, one.mode);
    const speaking = gate();
    const inner = scriptedModel(byHistory([[ASKED], "after"]));
    const model = {
      id: inner.id,
      async *stream(request: Parameters<typeof inner.stream>[0]) {
        for await (const chunk of inner.stream(request)) {
          if (chunk.type === "finish") await speaking.promise;
          yield chunk;
        }
      },
    };
    const bench = await openRuntime({ model, tools: [asking.tool], agent: asking.agent });
    const run = await start(bench);
    const callId = `${run.id}-s1-c0`;
    await until(() => inner.requests.length === 1, "the model");
    const hash = bindingHash(bench.env, "default", {
      thread_id: "t1",
      run_id: run.id,
      call_id: callId,
      tool_id: "add",
      tool_version: toolVersion(bench.env, asking.tool),
      arguments: ASKED.arguments,
    });
    await bench.runtime.decisions.decide(callId, one.verb, { bindingHash: hash });
    speaking.open();
    await assertDecided(one, { bench, run, callId, asking, requests: inner.requests });
  });
});
