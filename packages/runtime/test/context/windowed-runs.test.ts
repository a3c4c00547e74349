import { addSessionContext, overrideInference, type TokenCounter } from "@reprise/contracts";
import { type Script, scriptedModel } from "@reprise/models";
import { type AgentDefinition, createRuntime, defineAgent, definePlugin, defineTool } from "@reprise/runtime";
import { expect, it, onTestFinished } from "vitest";
import { createWorld } from "../support/open-runtime.ts";
import { countingTool } from "../support/tools.ts";
import { collect, soon } from "../support/wait.ts";

/** Counts characters, so that figures can be read off. */
const characters: TokenCounter = { load: async () => (text) => text.length };

async function open(script: Script, agent: Partial<AgentDefinition>, tokenCounter: TokenCounter = characters) {
  const model = scriptedModel(script);
  const runtime = await createRuntime({
    ...createWorld(),
    tokenCounter,
    agents: [defineAgent({ id: "agent", model, ...agent })],
    limits: { closeTimeoutMs: 1 },
  });
  onTestFinished(() => void runtime.close().catch(() => undefined));
  const play = async (input: string) => {
    const run = await runtime.start({ agent: "agent", threadId: "t1", input });
    const outcome = await soon(run.outcome());
    const events = await collect(run);
    const facts = events.flatMap((event) => (event.type === "context_resolved" ? [event.data] : []));
    return { run, outcome, events, facts };
  };
  const contents = () => model.requests.at(-1)?.messages.map(({ content }) => content);
  return { runtime, model, play, contents };
}

const small = { maxContextTokens: 60, maxOutputTokens: 20, minRecentMessages: 1 };

it("leaves out the oldest messages, tells how many, and keeps the thread whole", async () => {
  const { model, play, contents } = await open(["answer 1", "answer 2", "answer 3"], {
    instructions: "Be.",
    contextPolicy: small,
  });
  expect((await play("first")).facts).toEqual([
    {
      window_tokens: 60,
      output_tokens: 20,
      estimated_tokens: 3 + 9,
      estimated_by: "tokenizer",
      dropped_messages: 0,
    },
  ]);
  await play("second");
  expect(contents()).toEqual(["first", "answer 1", "second"]);
  const { facts } = await play("third");
  // 3 of system, 9 + 12 + 10 + 12 + 9 of messages: two too many.
  expect(contents()).toEqual(["second", "answer 2", "third"]);
  expect(facts).toMatchObject([{ dropped_messages: 2, estimated_tokens: 3 + 31 }]);
  expect(model.requests.at(-1)?.system).toBe("Be.");
});

it("keeps the task and whole rounds when a run's own rounds are too many", async () => {
  const { tool } = countingTool();
  const round = [1, 2].map((title) => ({ call: "add", arguments: { title: `${title}` } }));
  const script: Script = (_, turn) => (turn <= 4 ? round : "done");
  const { model, play } = await open(script, {
    tools: [tool],
    contextPolicy: { maxContextTokens: 600, maxOutputTokens: 100, minRecentMessages: 1 },
  });
  const { facts, outcome } = await play("the task");
  expect(outcome).toMatchObject({ status: "done", text: "done" });
  const dropped = facts.map((fact) => Number(fact?.dropped_messages));
  expect(Math.max(...dropped)).toBeGreaterThan(0);
  for (const { messages } of model.requests) {
    expect(messages[0]?.content).toBe("the task");
    const calls = messages.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id));
    expect(messages.flatMap(({ tool_call_id }) => tool_call_id ?? [])).toEqual(calls);
  }
});

it("fails before anything is sent when what must stay is too much, with the figures", async () => {
  const { model, play } = await open(["never"], { contextPolicy: small });
  const { outcome, events } = await play("x".repeat(100));
  expect(outcome).toMatchObject({ status: "failed", code: "CONTEXT_WINDOW_EXCEEDED" });
  const message = events.flatMap((event) => (event.type === "error" ? [event.data.message] : []))[0];
  expect(message).toMatch(/about 104 tokens.* a window of 60 tokens has room for 40 beside an answer of 20\./);
  expect(model.requests).toEqual([]);
});

it("takes the length of answers that the request asks for as the room they need", async () => {
  const { play } = await open(["ok"], { contextPolicy: small, chatOptions: { max_tokens: 50 } });
  expect((await play("four")).facts).toMatchObject([{ output_tokens: 50 }]);
  expect((await play("eleven char")).outcome).toMatchObject({ code: "CONTEXT_WINDOW_EXCEEDED" });
});

it("measures what plugins add, and tells of both in one fact", async () => {
  const plugin = definePlugin({ id: "p", hooks: { beforeInference: () => [addSessionContext("x".repeat(30))] } });
  const { play } = await open(["never"], { contextPolicy: small, plugins: [plugin] });
  expect((await play("hello")).outcome).toMatchObject({ code: "CONTEXT_WINDOW_EXCEEDED" });
  const wide = await open(["ok"], { contextPolicy: {}, plugins: [plugin] });
  const { facts } = await wide.play("hello");
  expect(facts).toMatchObject([
    { contributions: [{ plugin: "p", action: "add_session_context" }], dropped_messages: 0 },
  ]);
});

it("goes by the window of the model a plugin chose", async () => {
  const other = scriptedModel(["never"], "other");
  const plugin = definePlugin({
    id: "p",
    hooks: { beforeInference: () => [overrideInference({ model: "tiny" })] },
  });
  const runtime = await createRuntime({
    ...createWorld(),
    tokenCounter: characters,
    providers: [{ id: "p", model: () => other }],
    models: [{ id: "tiny", provider: "p", model: "tiny", context_window: 30 }],
    agents: [defineAgent({ id: "agent", model: scriptedModel(["x"]), plugins: [plugin], contextPolicy: {} })],
  });
  onTestFinished(() => void runtime.close().catch(() => undefined));
  const outcome = await soon(runtime.runToCompletion({ agent: "agent", input: "more than fifteen characters" }));
  expect(outcome).toMatchObject({ status: "failed", code: "CONTEXT_WINDOW_EXCEEDED" });
  expect(other.requests).toEqual([]);
});

it("changes nothing for an agent without a policy: no count, no fact, no mark, tools as they come", async () => {
  const never: TokenCounter = { load: () => Promise.reject(new Error("asked")) };
  const [b, a] = ["b", "a"].map((id) => defineTool({ id, description: "", execute: () => null }));
  const { model, play } = await open(["ok"], { tools: [b, a].flatMap((tool) => tool ?? []) }, never);
  expect((await play("x".repeat(1_000_000))).facts).toEqual([]);
  expect(model.requests[0]?.tools.map(({ id }) => id)).toEqual(["b", "a"]);
  expect(model.requests[0]).not.toHaveProperty("cache_breakpoints");
});

it("is replayed as it was: what was left out, and what did not fit", async () => {
  const { runtime, model, play } = await open(["answer 1", "answer 2", "answer 3"], { contextPolicy: small });
  await play("first");
  await play("second");
  const cut = await play("a third one");
  expect(cut.facts).toMatchObject([{ dropped_messages: 2 }]);
  const failed = await play("x".repeat(100));
  expect(failed.outcome).toMatchObject({ code: "CONTEXT_WINDOW_EXCEEDED" });
  for (const { run } of [cut, failed]) {
    for (const mode of ["verify", "reexecute"] as const) {
      expect(await runtime.replay(run.id, { mode }), mode).toMatchObject({ equal: true });
    }
  }
  expect(model.requests).toHaveLength(3);
});
