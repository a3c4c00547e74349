import {
  addSessionContext,
  changeState,
  type DecisionVerb,
  type ExecutionBackend,
  type LanguageModel,
  suspendTool,
  toolEffect,
  usd,
} from "@reprise/contracts";
import { scriptedModel } from "@reprise/models";
import {
  createRegistryBuilder,
  createRuntime,
  defineAgent,
  definePlugin,
  defineTool,
  type RunRecording,
} from "@reprise/runtime";
import { defineState } from "@reprise/state";
import { eventually } from "@reprise/testkit";
import { expect } from "vitest";
import { z } from "zod";
import { openStudio } from "../media/support/open-studio.ts";
import { freezeProcess } from "../support/frozen-env.ts";
import { createWorld, openRuntime } from "../support/open-runtime.ts";
import { countingTool } from "../support/tools.ts";
import { gate, settle, soon, until } from "../support/wait.ts";
import { record } from "./record.ts";
import { TREE_SHAPES } from "./tree-shapes.ts";

const log = defineState({
  path: "log",
  initial: (): string[] => [],
  actions: { add: (list, line: string) => [...list, line] },
});
const slow = defineTool({
  id: "slow",
  description: "Takes its time.",
  inputSchema: z.object({ turns: z.number() }),
  class: "read_only",
  async execute({ turns }, { progress, record: keep }) {
    progress({ progress: 1, total: 2, message: "half" });
    for (let turn = 0; turn < turns; turn += 1) await settle(1);
    return { turns, drawn: await keep("dice", () => 4) };
  },
});
const { tool: add } = countingTool();
const { tool: asking } = countingTool({ needsApproval: true });
const call = (turns: number) => ({ call: "slow", arguments: { turns } });
const ADD = { call: "add", arguments: { title: "x" } };

type Recorded = Awaited<ReturnType<typeof record>>;
const exported = ({ runtime, run }: Pick<Recorded, "runtime" | "run">): Promise<RunRecording> =>
  runtime.exportRun(run.id);

/** Runs of every kind there is, each as its export. */
export const RUN_SHAPES: { readonly [shape: string]: () => Promise<RunRecording> } = {
  ...TREE_SHAPES,
  "parallel tools": async () =>
    exported(await record({ tools: [slow, add], script: [[call(9), call(1), call(5), ADD], "done"] })),
  "early reads": async () => {
    const script = [[call(1), { text: ["a", "b", "c"] }, call(0), ADD], "done"];
    return exported(await record({ tools: [slow, add], script, agent: { startReadsEarly: true } }));
  },
  approval: async () =>
    exported(
      await record({ tools: [asking], script: [[{ text: "May I?" }, ADD], "done"] }, async ({ runtime }, run) => {
        await soon(run.outcome());
        const [open] = await runtime.decisions.list({ threadId: "t1" });
        await runtime.decisions.decide(open?.id ?? "", { action: "edit", arguments: { title: "other" } });
      }),
    ),
  "cancellation in a stream": async () =>
    exported(
      await record({ script: [[{ reasoning: "Hm." }, { text: ["a", "b"] }, { stall: true }]] }, async (_, run) => {
        await settle();
        await run.cancel("enough");
      }),
    ),
  "wait for a model": async () => {
    const script = [
      [{ text: "So" }, { cut: true }],
      [{ fail: "rate_limit" }],
      [{ fail: "rate_limit" }],
      "done",
    ] as const;
    return exported(await record({ script }, async ({ env }) => env.advance(40_000)));
  },
  steering: async () => {
    let asked = 0;
    const script = () => (asked++ === 0 ? [call(30)] : "done");
    return exported(
      await record({ tools: [slow], script }, async ({ runtime }) => {
        await settle(5);
        await runtime.start({ agent: "agent", threadId: "t1", input: "also", whenBusy: "steer" });
      }),
    );
  },
  takeover: async () => {
    const world = createWorld();
    const never = gate();
    const first = countingTool({ idempotent: true, execute: () => never.promise });
    const script = [[{ text: "Well. " }, ADD], "never"];
    const frozen = freezeProcess(world);
    const dying = await openRuntime({ world, ...frozen, instanceId: "first", script, tools: [first.tool] });
    const run = await dying.runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    await until(() => first.keys.length === 1, "the first execution");
    const { tool } = countingTool({ idempotent: true });
    const second = await openRuntime({ world, instanceId: "second", script: ["taken over"], tools: [tool] });
    await world.env.advance(13_000);
    await soon((await second.runtime.run(run.id)).outcome());
    return second.runtime.exportRun(run.id);
  },
  "budget pause": recordBudgetPause,
  "expired question": async () => {
    const { tool } = countingTool({ execute: () => suspendTool({ action: "soon", expiresInMs: 2_000 }) });
    return exported(await record({ tools: [tool], script: [[ADD], "done"] }));
  },
  "cancelled while tools talk": async () =>
    exported(
      await record({ tools: [slow, add], script: [[call(1), call(9), call(30), ADD]] }, async (_, run) => {
        await settle(8);
        await run.cancel("enough");
      }),
    ),
  "superseded while it waited": async () => {
    const { runtime } = await openRuntime({ tools: [asking], script: [[ADD], "done"] });
    const waiting = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    await soon(waiting.outcome());
    const next = await runtime.start({ agent: "agent", threadId: "t1", input: "never mind" });
    await soon(next.outcome());
    return runtime.exportRun(waiting.id);
  },
  "took the place of another": async () => {
    const { runtime } = await openRuntime({ tools: [asking], script: [[ADD], "done"] });
    await soon((await runtime.start({ agent: "agent", threadId: "t1", input: "go" })).outcome());
    const next = await runtime.start({ agent: "agent", threadId: "t1", input: "undo it", whenBusy: "rollback" });
    await soon(next.outcome());
    return runtime.exportRun(next.id);
  },
  "deploy over a question": async () => recordDeploy("waiting"),
  "deploy over a call under way": async () => recordDeploy("under way"),
  "tool effects": async () => {
    const { tool } = countingTool({
      execute: () =>
        toolEffect({ fine: true }, [
          { type: "add_user_message", message: { role: "user", content: "By the way." } },
          { type: "add_system_reminder", text: "Be brief." },
        ]),
    });
    const { tool: last } = countingTool({
      id: "last",
      execute: () => toolEffect("over", [{ type: "terminate", reason: "enough" }]),
    });
    const script = [[ADD], [{ call: "last", arguments: { title: "x" } }]];
    return exported(await record({ tools: [tool, last], script }));
  },
  "tool by hand": async () => {
    const { runtime } = await openRuntime({ tools: [asking], script: [] });
    const run = await runtime.callTool({ agent: "agent", tool: "add", arguments: { title: "x" }, threadId: "t1" });
    await soon(run.outcome());
    const [open] = await runtime.decisions.list({ threadId: "t1" });
    await runtime.decisions.decide(open?.id ?? "", { action: "approve" });
    await soon(run.outcome());
    return runtime.exportRun(run.id);
  },
  "fallback model": recordFallback,
  "structured output": async () => {
    const outputSchema = z.object({ answer: z.number() });
    return exported(await record({ script: ["It is 4.", '{"answer":4}'], agent: { outputSchema } }));
  },
  "stopped by a policy": async () =>
    exported(
      await record({ tools: [add], script: () => [ADD], agent: { stopWhen: [{ type: "max_rounds", rounds: 2 }] } }),
    ),
  "remote backend": recordRemote,
  "failing plugin": async () => {
    const failing = definePlugin({
      id: "failing",
      states: [log],
      hooks: {
        stepStart: ({ step }) => [changeState(log.add(`step ${step}`))],
        beforeInference: () => [addSessionContext("It rains.")],
        afterToolExecute: () => Promise.reject(new Error("broken rule")),
      },
    });
    return exported(await record({ tools: [add], script: [[ADD], "done"], agent: { plugins: [failing] } }));
  },
  "restarted stream": async () => {
    const script = [
      [{ reasoning: "Let me " }, { unfinishedCall: "add", raw: '{"tit' }, { cut: true }],
      [{ text: "Again." }, ADD],
      [{ text: "cut off" }, { stop: "max_tokens" }],
      " and on",
    ] as const;
    return exported(await record({ tools: [add], script }));
  },
  "migrated state": recordMigration,
  "long texts": async () => {
    const long = (text: string): string => text.repeat(1_000);
    const adding = definePlugin({ id: "adding", hooks: { beforeInference: () => [addSessionContext(long("rain "))] } });
    const agent = { plugins: [adding], instructions: long("Be brief. ") };
    return exported(await record({ script: ["done"], agent }));
  },
  "media run": async () => {
    const { runtime, paint } = await openStudio({ agent: { instructions: "Watercolour." } });
    const { run } = await paint("A fox.");
    return runtime.exportRun(run.id);
  },
  "client overrides": async () => {
    const { runtime } = await openRuntime({ script: ["done"], agent: { clientOverrides: true } });
    const overrides = { instructions: "Be kind.", chatOptions: { temperature: 0 } };
    const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go", overrides });
    await soon(run.outcome());
    return runtime.exportRun(run.id);
  },
  "notice to the thread above": async () => recordNotice("child"),
  "told by a run below": async () => recordNotice("parent"),
};

/** A run that reports to the thread above when it is over, or the run that the report begins there. */
async function recordNotice(which: "child" | "parent"): Promise<RunRecording> {
  const { runtime } = await openRuntime({ script: () => "done" });
  const parent = await runtime.start({ agent: "agent", threadId: "above", input: "go" });
  await soon(parent.outcome());
  const below = { threadId: "below", parentRunId: parent.id, parentThreadId: "above" };
  const child = await runtime.start({ agent: "agent", ...below, input: "look" });
  await soon(child.outcome());
  const toldOf = async () => (await runtime.runs({ threadId: "above", status: "done" })).items;
  await eventually(async () => expect(await toldOf()).toHaveLength(2));
  const told = (await toldOf()).find(({ run_id }) => run_id !== parent.id);
  return runtime.exportRun(which === "child" ? child.id : (told?.run_id ?? ""));
}

/** A run whose tool becomes another one while a call of it waits, or while it runs in a process that dies. */
async function recordDeploy(call: "waiting" | "under way"): Promise<RunRecording> {
  const world = createWorld();
  const definition = call === "waiting" ? { needsApproval: true } : { execute: () => gate().promise };
  const old = countingTool({ version: "1", ...definition });
  const process = call === "waiting" ? {} : freezeProcess(world);
  const first = await openRuntime({ world, ...process, tools: [old.tool], script: [[ADD]] });
  const run = await first.runtime.start({ agent: "agent", threadId: "t1", input: "go" });
  if (call === "waiting") await soon(run.outcome());
  else await until(() => old.keys.length === 1, "the execution");
  if (call === "waiting") await first.runtime.close();
  const { tool } = countingTool({ version: "2", needsApproval: call === "waiting" });
  const { runtime, env } = await openRuntime({ world, tools: [tool], script: ["done"] });
  await env.advance(13_000);
  // A waiting call is asked about a second time; of one that was under way somebody says what it did.
  const approve: DecisionVerb = { action: "approve" };
  const answers: readonly DecisionVerb[] = call === "waiting" ? [approve, approve] : [{ action: "supply", result: 1 }];
  const after = await runtime.run(run.id);
  for (const answer of answers) {
    await soon(after.outcome());
    const [open] = await runtime.decisions.list({ threadId: "t1" });
    await runtime.decisions.decide(open?.id ?? "", answer);
  }
  await soon(after.outcome());
  return runtime.exportRun(run.id);
}

/** A run that waits over a deploy which changes the shape of a plugin's state. */
async function recordMigration(): Promise<RunRecording> {
  const world = createWorld();
  const before = definePlugin({ id: "p", states: [log], hooks: { stepStart: () => [changeState(log.add("before"))] } });
  const first = await openRuntime({ world, tools: [asking], script: [[ADD]], agent: { plugins: [before] } });
  const run = await first.runtime.start({ agent: "agent", threadId: "t1", input: "go" });
  await soon(run.outcome());
  await first.runtime.close();
  const lines = defineState({
    path: "log",
    version: 2,
    initial: (): { line: string }[] => [],
    migrate: (stored) => (stored as string[]).map((line) => ({ line })),
    actions: { add: (list, line: string) => [...list, { line }] },
  });
  const after = definePlugin({
    id: "p",
    states: [lines],
    hooks: { stepStart: () => [changeState(lines.add("after"))] },
  });
  const second = await openRuntime({ world, tools: [asking], script: ["done"], agent: { plugins: [after] } });
  const [open] = await second.runtime.decisions.list({ threadId: "t1" });
  await second.runtime.decisions.decide(open?.id ?? "", { action: "approve" });
  await soon((await second.runtime.run(run.id)).outcome());
  return second.runtime.exportRun(run.id);
}

async function recordBudgetPause(): Promise<RunRecording> {
  const price = { input_per_million: 10, output_per_million: 10 };
  const spec = { id: "first", provider: "first", model: "first", max_output_tokens: 200, pricing: price };
  const usage = { usage: { promptTokens: 300, completionTokens: 20 } };
  const model: LanguageModel = scriptedModel([
    [call(0), usage],
    [{ text: "Done." }, usage],
  ]);
  const runtime = await createRuntime({
    ...createWorld(),
    providers: [{ id: "first", model: () => model }],
    models: [spec],
    agents: [defineAgent({ id: "agent", model: "first", tools: [slow] })],
  });
  const budget = { limitMicrocents: usd(0.008), onExceeded: "pause", warnAtPercent: 10 } as const;
  const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go", budget });
  await soon(run.outcome());
  const [open] = await runtime.decisions.list({ threadId: "t1" });
  await runtime.decisions.decide(open?.id ?? "", { action: "approve" });
  await soon(run.outcome());
  const recording = await runtime.exportRun(run.id);
  void runtime.close().catch(() => undefined);
  return recording;
}

/** The first model fails, and the second one answers. */
async function recordFallback(): Promise<RunRecording> {
  const models = { first: scriptedModel(() => [{ fail: "overloaded" }]), second: scriptedModel(["From the second."]) };
  const spec = (id: string) => ({ id, provider: id, model: id });
  const retryPolicy = { maxAttemptsPerModel: 1 };
  const runtime = await createRuntime({
    ...createWorld(),
    providers: Object.entries(models).map(([id, model]) => ({ id, model: () => model })),
    models: Object.keys(models).map(spec),
    agents: [defineAgent({ id: "agent", model: "first", fallbackModels: ["second"], retryPolicy })],
  });
  const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
  await soon(run.outcome());
  const recording = await runtime.exportRun(run.id);
  void runtime.close().catch(() => undefined);
  return recording;
}

async function recordRemote(): Promise<RunRecording> {
  const questions = [{ id: "q1", action: "approval", message: "May I?", parameters: { task: 1 } }];
  const backend: ExecutionBackend = {
    id: "a2a",
    check: () => undefined,
    async run(_, { decisions, showText }) {
      showText("Well. ");
      return decisions.length === 0
        ? { termination: { type: "suspended" }, text: "Well. ", questions }
        : { termination: { type: "natural_end" }, text: "Well. " };
    },
  };
  const agent = { id: "agent", endpoint: "https://far.test" };
  const registries = createRegistryBuilder().withBackend(backend).withAgent(agent).build();
  const runtime = await createRuntime({ ...createWorld(), registries });
  const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
  await soon(run.outcome());
  const [open] = await runtime.decisions.list({ threadId: "t1" });
  await runtime.decisions.decide(open?.id ?? "", { action: "supply", result: { yes: true } });
  await soon(run.outcome());
  const recording = await runtime.exportRun(run.id);
  void runtime.close().catch(() => undefined);
  return recording;
}
