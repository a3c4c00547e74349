import {
  addSessionContext,
  addSystemReminder,
  addUserMessage,
  blockCall,
  changeState,
  emitEffect,
  excludeTool,
  type Plugin,
  scheduleAction,
  setToolResult,
  suspendCall,
  terminateRun,
  toolFailure,
  toolResult,
  transformRequest,
} from "@reprise/contracts";
import { definePlugin } from "@reprise/runtime";
import { defineState } from "@reprise/state";
import { describe, expect, it } from "vitest";
import { deadModel, deadTool, record } from "./replay-support/record.ts";
import { openRuntime } from "./support/open-runtime.ts";
import { countingTool } from "./support/tools.ts";
import { soon } from "./support/wait.ts";

const log = defineState({
  path: "log",
  initial: (): string[] => [],
  actions: { add: (list, line: string) => [...list, line], nothing: (list) => list },
});
const perRun = defineState({
  path: "per_run",
  scope: "run",
  initial: () => 0,
  actions: { set: (_, to: number) => to },
});

const ADD = { call: "add", arguments: { title: "x" } } as const;
const EQUAL = expect.objectContaining({ equal: true });

/** Records a run with plugins; replays see a plugin of the same shape whose every hook throws. */
async function recordWith(plugin: Plugin, script: Parameters<typeof record>[0]["script"] = [[ADD], "done"]) {
  const { tool, keys } = countingTool();
  const bench = await record({ tools: [tool], agent: { plugins: [plugin] }, ...(script && { script }) });
  const throwing = (): never => {
    throw new Error("a replay asked a plugin");
  };
  const hooks = Object.fromEntries(Object.keys(plugin.hooks).map((phase) => [phase, throwing]));
  const scheduled = Object.fromEntries(
    Object.entries(plugin.scheduled).map(([key, { phase }]) => [key, { phase, handle: throwing }]),
  );
  const effects = Object.fromEntries(Object.keys(plugin.effects).map((key) => [key, throwing]));
  const dead: Plugin = { ...plugin, hooks, scheduled: scheduled as Plugin["scheduled"], effects, transforms: [] };
  const other = await openRuntime({
    world: bench,
    model: deadModel,
    tools: [deadTool(tool)],
    agent: { plugins: [dead] },
  });
  return { ...bench, keys, verify: () => soon(other.runtime.replay(bench.run.id)) };
}

describe("a verified replay takes what plugins asked for from the recording", () => {
  it("of hooks that read the clock, the dice and the state, in every phase", async () => {
    let effects = 0;
    const busy = definePlugin({
      id: "busy",
      states: [log, perRun],
      scheduled: {
        later: { phase: "step_start", handle: (payload) => [changeState(log.add(`later ${String(payload)}`))] },
      },
      effects: {
        count: () => {
          effects += 1;
        },
      },
      hooks: {
        runStart: ({ now }) => [
          changeState(log.add(`start ${now}`)),
          changeState(log.nothing()),
          scheduleAction("later", 1),
        ],
        stepStart: async (context) => [
          changeState(log.add(await context.record("dice", () => String(Math.random())))),
          changeState(perRun.set(context.step)),
        ],
        beforeInference: () => [
          addSessionContext("secret words"),
          emitEffect("count"),
          transformRequest((request) => request),
        ],
        afterInference: ({ stopReason: stop_reason }) => [changeState(log.add(stop_reason))],
        afterToolExecute: () => [addSystemReminder("be brief"), addUserMessage("and kind")],
        runEnd: () => [changeState(log.add("end"))],
      },
    });
    const { verify, runtime } = await recordWith(busy);
    const before = effects;
    expect(await runtime.threads.state("t1")).toMatchObject({ per_run: 2 });
    expect(await verify()).toEqual(EQUAL);
    expect(effects).toBe(before);
  });

  it.each([
    ["blocks a call", { beforeToolExecute: () => [blockCall("not today")] }],
    ["answers a call", { beforeToolExecute: () => [setToolResult({ from: "plugin" })] }],
    [
      "answers with a failure",
      { beforeToolExecute: () => [setToolResult(toolResult(toolFailure("add", "denied", "no")))] },
    ],
    ["ends the run before the model", { beforeInference: () => [terminateRun("enough")] }],
    ["ends the run after the model", { afterInference: () => [terminateRun()] }],
    ["hides the tool", { beforeInference: () => [excludeTool("add")] }],
    [
      "hides the tool in the request",
      { beforeInference: () => [transformRequest((request) => ({ ...request, tools: [] }))] },
    ],
    ["fails", { afterInference: () => Promise.reject(new Error("broken rule")) }],
    ["fails after a tool ran", { afterToolExecute: () => Promise.reject(new Error("broken rule")) }],
    ["asks for what its phase does not take", { stepStart: () => [terminateRun()] as never }],
  ])("of one that %s", async (_, hooks) => {
    const { verify } = await recordWith(definePlugin({ id: "rule", hooks }));
    expect(await verify()).toEqual(EQUAL);
  });

  it("of one that could not be activated", async () => {
    const refusing = definePlugin({ id: "refusing", onActivate: () => Promise.reject(new Error("no place")) });
    const { verify, outcome } = await recordWith(refusing);
    expect(outcome).toMatchObject({ status: "failed", code: "PLUGIN_FAILED" });
    expect(await verify()).toEqual(EQUAL);
  });

  it("of one that asked, and was answered", async () => {
    const asking = definePlugin({
      id: "asking",
      hooks: { beforeToolExecute: () => [suspendCall({ action: "sure?" })] },
    });
    const { tool } = countingTool();
    const bench = await record(
      { tools: [tool], agent: { plugins: [asking] }, script: [[ADD], "done"] },
      async ({ runtime }, run) => {
        await soon(run.outcome());
        const [open] = await runtime.decisions.list({ threadId: "t1" });
        await runtime.decisions.decide(open?.id ?? "", { action: "approve" });
      },
    );
    expect(bench.outcome.status).toBe("done");
    expect(await bench.verify()).toEqual(EQUAL);
  });

  it("of one that adds long texts, which are stored once", async () => {
    const long = "words ".repeat(2_000);
    const adding = definePlugin({ id: "c", hooks: { beforeInference: () => [addSessionContext(long)] } });
    const { runtime, run, verify } = await recordWith(adding);
    expect(await verify()).toEqual(EQUAL);
    const { texts, changesets } = await runtime.exportRun(run.id);
    // The other one is the agent's definition.
    expect(Object.values(texts)).toEqual([expect.stringContaining('"system_prompt"'), long]);
    expect(JSON.stringify(changesets)).not.toContain(long);
    const refs = changesets.flatMap(({ blob_refs }) => blob_refs);
    expect(new Set(refs)).toEqual(new Set(Object.keys(texts)));
  });
});

describe("a replay that asks today's plugins", () => {
  /** The same run, replayed by a runtime whose plugin is another one. */
  async function reexecute(then: Plugin, now: Plugin) {
    const { tool } = countingTool();
    const bench = await record({ tools: [tool], agent: { plugins: [then] }, script: [[ADD], "done"] });
    const other = await openRuntime({ world: bench, model: deadModel, tools: [tool], agent: { plugins: [now] } });
    return soon(other.runtime.replay(bench.run.id, { mode: "reexecute" }));
  }
  const noting = (line: (step: number) => string): Plugin =>
    definePlugin({
      id: "noting",
      states: [log],
      hooks: {
        stepStart: async (context) => {
          const drawn = await context.record("dice", () => String(Math.random()));
          return [changeState(log.add(`${line(context.step)} ${drawn} ${context.now}`))];
        },
      },
    });

  it("comes to the same when they are the same: their clock and their dice are those of then", async () => {
    expect(
      await reexecute(
        noting((step) => `${step}`),
        noting((step) => `${step}`),
      ),
    ).toMatchObject({ equal: true, mode: "reexecute" });
  });

  it("finds the first version at which one of them would do something else", async () => {
    const result = await reexecute(
      noting(() => "same"),
      noting((step) => (step === 1 ? "same" : "other")),
    );
    expect(result).toMatchObject({ equal: false, divergence: { version: 4, what: "patch", index: 0 } });
  });

  it("finds a call that would be blocked today", async () => {
    const lenient = definePlugin({ id: "rule", hooks: { beforeToolExecute: () => undefined } });
    const strict = definePlugin({ id: "rule", hooks: { beforeToolExecute: () => [blockCall("never")] } });
    expect(await reexecute(lenient, strict)).toMatchObject({ equal: false, divergence: { version: 2 } });
    expect(await reexecute(strict, lenient)).toMatchObject({ equal: false, divergence: { version: 2 } });
  });

  it("does not do what a plugin would do for the first time, and says where it wanted to", async () => {
    const done: string[] = [];
    const impure = definePlugin({
      id: "rule",
      effects: { act: () => void done.push("effect") },
      hooks: {
        stepStart: async (context) => [emitEffect("act", await context.record("new", () => done.push("asked")))],
      },
    });
    const quiet = definePlugin({ id: "rule", hooks: { stepStart: () => undefined } });
    expect(await reexecute(quiet, impure)).toMatchObject({ equal: false, divergence: { version: 2 } });
    expect(done).toEqual([]);
  });
});
