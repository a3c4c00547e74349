import { changeState, type ModelRequest, operatorText, type Plugin, type PluginInference } from "@reprise/contracts";
import type { Script } from "@reprise/models";
import { definePlugin, type PluginHooks } from "@reprise/runtime";
import { defineState } from "@reprise/state";
import { describe, expect, it } from "vitest";
import { answer, look, openBudgeted, PRICE, start } from "../budget/open-budgeted.ts";
import { deadModel, record } from "../replay-support/record.ts";
import { openRuntime } from "../support/open-runtime.ts";
import { collect, gate, settle, soon, until } from "../support/wait.ts";

const notes = defineState({
  path: "notes",
  initial: (): string[] => [],
  actions: { add: (list, line: string) => [...list, line] },
});

const QUESTION: PluginInference = {
  system: operatorText`Judge.`,
  messages: [{ role: "user", content: "Is it fine?" }],
  maxTokens: 20,
};

/** The plugin's questions have a system text of their own. */
function isQuestion({ system }: ModelRequest): boolean {
  return system === "Judge.";
}

const SCRIPT: Script = (request) => (isQuestion(request) ? answer("fine", 10) : answer("hi", 30));

function judging(hooks: PluginHooks): Plugin {
  return definePlugin({ id: "judge", states: [notes], hooks });
}

const judgeFirst = judging({
  beforeInference: async (context) => {
    const { text, model, stopReason } = await context.infer(QUESTION);
    return [changeState(notes.add(`${text} ${model} ${stopReason}`))];
  },
});

describe("a plugin that asks a model", () => {
  it("asks the agent's model apart from the conversation, and gets its answer", async () => {
    const { runtime, model } = await openBudgeted(SCRIPT, { agent: { plugins: [judgeFirst] } });
    await soon(runtime.runToCompletion(start));
    expect(await runtime.threads.state("t1")).toMatchObject({ notes: ["fine p/m end_turn"] });
    const asked = model.requests.find(isQuestion);
    expect(asked).toMatchObject({
      system: "Judge.",
      messages: [{ role: "user", content: "Is it fine?" }],
      tools: [],
      options: { max_tokens: 20 },
    });
    const { messages } = await runtime.threads.messages("t1");
    expect(messages.map(({ content }) => content)).toEqual(["go", "hi"]);
  });

  it("has its run pay: the cost names the plugin, and tokens and money count", async () => {
    const budget = { limit_microcents: 10_000 * PRICE };
    const { runtime, budgetOf } = await openBudgeted(SCRIPT, { budget, agent: { plugins: [judgeFirst] } });
    const run = await runtime.start(start);
    const costs = (await collect(run)).flatMap((event) => (event.type === "cost_recorded" ? [event.data] : []));
    expect(costs).toMatchObject([
      { plugin: "judge", provider: "p", model: "p/m", cost_microcents: 10 * PRICE, run_cost_microcents: 10 * PRICE },
      { cost_microcents: 30 * PRICE, run_cost_microcents: 40 * PRICE },
    ]);
    expect(costs[1]).not.toHaveProperty("plugin");
    expect(await run.record()).toMatchObject({ cost_microcents: 40 * PRICE, input_tokens: 38, output_tokens: 2 });
    expect(await budgetOf(run.id)).toMatchObject({ spent: { tokens: 40, microcents: 40 * PRICE }, reserved: {} });
  });

  it("is refused when the budget has no room for its question", async () => {
    const careful = judging({
      beforeInference: (context) =>
        context.infer({ ...QUESTION, messages: [{ role: "user", content: "long ".repeat(100) }] }).then(
          () => undefined,
          (error: { code?: string }) => [changeState(notes.add(error.code ?? "?"))],
        ),
    });
    const budget = { limit_tokens: 300 };
    const { runtime, model } = await openBudgeted(SCRIPT, { budget, agent: { plugins: [careful] } });
    expect(await soon(runtime.runToCompletion(start))).toMatchObject({ status: "done" });
    expect(model.requests.filter(isQuestion)).toEqual([]);
    expect(await runtime.threads.state("t1")).toMatchObject({ notes: ["BUDGET_EXCEEDED"] });
  });

  it("may name another model, and an unknown one fails the run by its plugin's name", async () => {
    const asking = judging({ runStart: async (context) => void (await context.infer({ ...QUESTION, model: "gone" })) });
    const { runtime } = await openBudgeted(SCRIPT, { agent: { plugins: [asking] } });
    expect(await soon(runtime.runToCompletion(start))).toMatchObject({
      status: "failed",
      code: "PLUGIN_FAILED",
      error: expect.stringMatching(/judge failed in run_start.*"gone"/),
    });
  });

  it.each([
    ["no message", []],
    ["a system message", [{ role: "system" as const, content: "Obey." }]],
  ])("may not ask with %s", async (_, messages) => {
    const asking = judging({ stepStart: async (context) => void (await context.infer({ ...QUESTION, messages })) });
    const { runtime, model } = await openBudgeted(SCRIPT, { agent: { plugins: [asking] } });
    expect(await soon(runtime.runToCompletion(start))).toMatchObject({ status: "failed", code: "INVALID_ACTION" });
    expect(model.requests).toEqual([]);
  });

  it("is cancelled with its run", async () => {
    const script: Script = (request) => (isQuestion(request) ? [{ stall: true }] : "hi");
    const { runtime, model } = await openBudgeted(script, { agent: { plugins: [judgeFirst] } });
    const run = await runtime.start(start);
    await until(() => model.requests.some(isQuestion), "the question");
    await run.cancel();
    expect(await soon(run.outcome())).toMatchObject({ status: "cancelled" });
    expect(model.requests.find(isQuestion)?.signal.aborted).toBe(true);
  });
});

describe("a question that a hook does not wait for", () => {
  /** Asks in the first step, and looks at what came of it in every later phase that begins a step. */
  function background() {
    const jobs = new Map<string, { text?: string; failed?: string }>();
    const plugin = judging({
      stepStart: async (context) => {
        const text = await context.record("job", () => jobs.get(context.threadId)?.text ?? null);
        if (text !== null) return [changeState(notes.add(text))];
        if (await context.record("asked", () => jobs.has(context.threadId))) return undefined;
        jobs.set(context.threadId, {});
        void context.infer(QUESTION).then(
          ({ text: found }) => jobs.set(context.threadId, { text: found }),
          (error: unknown) => jobs.set(context.threadId, { failed: String(error) }),
        );
        return undefined;
      },
    });
    return { plugin, jobs };
  }
  /** A model whose answers to plugins wait until they are let go. */
  function slowJudge(script: Script) {
    const { promise, open } = gate();
    return {
      open,
      beforeModelAttempt: ({ request }: { request: ModelRequest }) => (isQuestion(request) ? promise : undefined),
      script,
    };
  }

  it("is counted by the next phase of the run that comes after its answer", async () => {
    const { plugin, jobs } = background();
    const script: Script = (request, turn) =>
      isQuestion(request)
        ? answer("fine", 10)
        : turn === 1
          ? [{ call: "look", arguments: {} }, { usage: { promptTokens: 29, completionTokens: 1 } }]
          : answer("hi", 30);
    const { runtime } = await openBudgeted(script, { tools: [look], agent: { plugins: [plugin] } });
    const run = await runtime.start(start);
    const costs = (await collect(run)).flatMap((event) => (event.type === "cost_recorded" ? [event.data] : []));
    expect(jobs.get("t1")).toEqual({ text: "fine" });
    expect(costs.map(({ plugin: by }) => by ?? "-")).toEqual(["-", "judge", "-"]);
    expect(await run.record()).toMatchObject({ cost_microcents: 70 * PRICE });
    expect(await soon(runtime.replay(run.id))).toMatchObject({ equal: true });
    expect(await soon(runtime.replay(run.id, { mode: "reexecute" }))).toMatchObject({ equal: true });
  });

  it("outlives its run, and is counted by the next run of the thread", async () => {
    const { plugin, jobs } = background();
    const { open, ...slow } = slowJudge(SCRIPT);
    const { runtime } = await openBudgeted(slow.script, {
      agent: { plugins: [plugin] },
      beforeModelAttempt: slow.beforeModelAttempt,
    });
    const first = await runtime.start(start);
    await soon(first.outcome());
    expect(await first.record()).toMatchObject({ cost_microcents: 30 * PRICE });
    open();
    await until(() => jobs.get("t1")?.text === "fine", "the answer");
    await settle();
    const second = await runtime.start(start);
    const costs = (await collect(second)).flatMap((event) => (event.type === "cost_recorded" ? [event.data] : []));
    expect(costs).toMatchObject([
      { plugin: "judge", cost_microcents: 10 * PRICE },
      { run_cost_microcents: 40 * PRICE },
    ]);
    expect(await runtime.threads.state("t1")).toMatchObject({ notes: ["fine"] });
    for (const { id } of [first, second]) expect(await soon(runtime.replay(id))).toMatchObject({ equal: true });
  });

  it("is given up when the runtime closes", async () => {
    const { plugin, jobs } = background();
    const script: Script = (request) => (isQuestion(request) ? [{ stall: true }] : "hi");
    const { runtime } = await openBudgeted(script, { agent: { plugins: [plugin] } });
    await soon(runtime.runToCompletion(start));
    await soon(runtime.close());
    await until(() => jobs.get("t1")?.failed !== undefined, "the failure");
    expect(jobs.get("t1")?.failed).toContain("cancelled");
  });
});

describe("a replay of a run whose plugin asked a model", () => {
  it.each([
    ["answered", SCRIPT],
    ["failed", ((request) => (isQuestion(request) ? [{ fail: "auth" }] : "hi")) as Script],
  ])("does not ask again, when the model %s", async (_, script) => {
    const tolerant = judging({
      beforeInference: (context) =>
        context.infer(QUESTION).then(
          ({ text }) => [changeState(notes.add(text))],
          (error: Error) => [changeState(notes.add(error.message))],
        ),
    });
    const bench = await record({ script, agent: { plugins: [tolerant] } });
    expect(bench.outcome.status).toBe("done");
    expect(await bench.verify()).toMatchObject({ equal: true });
    const other = await openRuntime({ world: bench, model: deadModel, agent: { plugins: [tolerant] } });
    expect(await soon(other.runtime.replay(bench.run.id, { mode: "reexecute" }))).toMatchObject({ equal: true });
  });

  it("does not ask again for a plugin that asked when it was activated", async () => {
    const plugin = definePlugin({ id: "judge", onActivate: async (context) => void (await context.infer(QUESTION)) });
    const bench = await record({ script: SCRIPT, agent: { plugins: [plugin] } });
    const costs = (await collect(bench.run)).filter(({ type }) => type === "cost_recorded");
    expect(costs).toHaveLength(2);
    expect(await bench.verify()).toMatchObject({ equal: true });
  });
});
