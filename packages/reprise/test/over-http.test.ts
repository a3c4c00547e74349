import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { type ModelServer, type ServerScript, type ServerTurn, startModelServer } from "@reprise/testkit/model-server";
import {
  type AgentDefinition,
  type AgentEvent,
  createRuntime,
  defineAgent,
  defineState,
  defineTool,
  memory,
  type Runtime,
  type ScriptTurn,
  scriptedModel,
  sqlite,
} from "reprise";
import { createNodeEnv } from "reprise/advanced";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { z } from "zod";

const CANARY = "sk-canary-Zq81kd73hf9qPd02";

const closers: (() => Promise<unknown>)[] = [];
beforeEach(() => {
  vi.stubEnv("OPENAI_API_KEY", CANARY);
});
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
  vi.unstubAllEnvs();
});

async function serve(script: ServerScript): Promise<ModelServer> {
  const server = await startModelServer(script);
  closers.push(() => server.close());
  vi.stubEnv("OPENAI_BASE_URL", `${server.url}/v1`);
  return server;
}

async function open(
  agent: Partial<AgentDefinition>,
  options: Partial<Parameters<typeof createRuntime>[0]> = {},
): Promise<Runtime> {
  const runtime = await createRuntime({
    agents: [defineAgent({ id: "planner", model: "openai/gpt-5", instructions: "Keep the list.", ...agent })],
    store: memory(),
    ...options,
  });
  closers.push(() => runtime.close());
  return runtime;
}

const todos = defineState({
  path: "todos",
  initial: (): { title: string; done: boolean }[] => [],
  actions: { add: (list, title: string) => [...list, { title, done: false }] },
});

const addTodo = defineTool({
  id: "add_todo",
  description: "Adds an item to the list.",
  inputSchema: z.object({ title: z.string().min(1) }),
  execute({ title }, { state }) {
    state.apply(todos.add(title));
    return { count: state.get(todos).length };
  },
});

/** The tutorial's conversation: two calls, one of them wrong, then an answer. */
const TUTORIAL: readonly ScriptTurn[] = [
  [
    { call: "add_todo", arguments: { title: "buy milk" } },
    { call: "add_todo", arguments: { title: "" } },
  ],
  [{ text: ["I added milk; ", "the other one had no title."] }],
];

async function play(runtime: Runtime): Promise<readonly unknown[]> {
  const run = await runtime.start({ agent: "planner", threadId: "t1", input: "Milk, and something else." });
  const events: AgentEvent[] = [];
  for await (const event of run.events()) events.push(event);
  expect(todos.read(await runtime.threads.state("t1"))).toEqual([{ title: "buy milk", done: false }]);
  // How the arguments were cut into pieces is the wire's affair; whose answer it was, and what it took, the model's.
  const told = events.filter(
    ({ type }) => !["inference_complete", "tool_call_delta", "cost_recorded", "model_routed"].includes(type),
  );
  return told.map(({ type, data }) => [type, comparable(run.id, data)]);
}

/** What two runs have in common: all but their ids and the time. */
function comparable(runId: string, data: unknown): unknown {
  const text = JSON.stringify(data ?? null, (key, value) => (key === "timestamp_ms" ? 0 : value));
  return JSON.parse(text.replaceAll(runId, "RUN"));
}

it("plays the tutorial's agent over HTTP as it does with a script, event by event", async () => {
  const scripted = await play(await open({ model: scriptedModel(TUTORIAL), tools: [addTodo] }));
  const server = await serve(TUTORIAL);
  const spoken = await play(await open({ tools: [addTodo] }));
  expect(spoken).toEqual(scripted);
  expect(server.requests).toHaveLength(2);
  expect(server.requests[0]).toMatchObject({
    path: "/v1/chat/completions",
    headers: { authorization: `Bearer ${CANARY}` },
  });
  expect(server.requests[1]?.body).toMatchObject({
    model: "gpt-5",
    messages: [
      { role: "system" },
      { role: "user" },
      { role: "assistant" },
      { role: "tool", tool_call_id: "call_1" },
      { role: "tool" },
    ],
  });
});

it("waits for an approval and continues in another runtime, over HTTP", async () => {
  await serve(TUTORIAL.map((turn) => (typeof turn === "string" ? turn : turn.slice(0, 1))));
  const store = memory();
  const tool = defineTool({
    id: "add_todo",
    description: "Adds.",
    inputSchema: z.object({ title: z.string() }),
    needsApproval: true,
    execute: () => "added",
  });
  const today = await open({ tools: [tool] }, { store });
  const run = await today.start({ agent: "planner", threadId: "t1", input: "Milk." });
  expect(await run.outcome()).toMatchObject({ status: "waiting" });
  await today.close();
  const tomorrow = await open({ tools: [tool] }, { store });
  const [waiting] = await tomorrow.decisions.list({ threadId: "t1" });
  await tomorrow.decisions.decide(waiting?.id ?? "", { action: "approve" });
  expect(await (await tomorrow.run(run.id)).outcome()).toMatchObject({ status: "done" });
});

it.each([
  ["never begins", { silent: true } as const],
  ["stops after its first words", [{ text: "Let me" }, { stall: true }] as const],
])("gives up on an answer that %s, and asks again", async (_, first) => {
  const server = await serve([first, "Done."]);
  const runtime = await open({
    sections: { retry: { stream_idle_timeout_secs: 0.2, max_retries: 1, backoff_base_ms: 1 } },
  });
  const outcome = await runtime.runToCompletion({ agent: "planner", threadId: "t1", input: "Hello." });
  expect(outcome).toMatchObject({ status: "done", text: expect.stringMatching(/Done\.$/) });
  expect(await server.requests[0]?.isAnswered).toBe(false);
});

it("continues where an answer was cut, and drops half a call", async () => {
  const server = await serve([
    [{ text: "I will " }, { cut: true }],
    [{ text: "add it." }, { unfinishedCall: "add_todo", raw: '{"title":"bu' }, { cut: true }],
    [{ call: "add_todo", arguments: { title: "buy milk" } }],
    "Added.",
  ]);
  const runtime = await open({ tools: [addTodo] });
  const outcome = await runtime.runToCompletion({ agent: "planner", threadId: "t1", input: "Milk." });
  expect(outcome).toMatchObject({ status: "done", text: "Added." });
  expect(todos.read(await runtime.threads.state("t1"))).toHaveLength(1);
  expect(server.requests).toHaveLength(4);
});

it("waits as long as the provider asks", async () => {
  await serve([
    { status: 429, headers: { "retry-after-ms": "300" }, body: { error: { code: "rate_limit_exceeded" } } },
    "Done.",
  ]);
  const env = createNodeEnv();
  const sleep = vi.spyOn(env.clock, "sleep");
  const runtime = await open({ retryPolicy: { maxAttemptsPerModel: 2, initialBackoffMs: 1 } }, { env });
  expect(await runtime.runToCompletion({ agent: "planner", threadId: "t1", input: "Hello." })).toMatchObject({
    status: "done",
  });
  // No other sleep has this length.
  expect(sleep.mock.calls.filter(([ms]) => ms === 300)).toHaveLength(1);
});

it("says at the start what a model lacks", async () => {
  vi.stubEnv("OPENAI_API_KEY", "");
  const message = "Model openai/gpt-5 needs a key. Set OPENAI_API_KEY in the environment.";
  await expect(open({})).rejects.toMatchObject({
    code: "VALIDATION_FAILED",
    message: expect.stringContaining(message),
  });
});

it("runs the model that REPRISE_MODEL names", async () => {
  const server = await serve(["Hello."]);
  vi.stubEnv("REPRISE_MODEL", "openai/gpt-5-mini");
  const runtime = await open({ model: "default" });
  await runtime.runToCompletion({ agent: "planner", threadId: "t1", input: "Hi." });
  expect(server.requests[0]?.body).toMatchObject({ model: "gpt-5-mini" });
});

const ECHO = { error: { code: "invalid_api_key", message: `Wrong key ${CANARY}.` } };

/** Ways to fail, each with the key in what the server says. */
const FAILURES: readonly ServerTurn[] = [
  { status: 401, body: ECHO, headers: { "x-request-id": CANARY } },
  { body: ECHO },
  { status: 502, headers: { "content-type": "text/html" }, body: `<h1>${CANARY}</h1>` },
  { events: [{ choices: [{ delta: { content: "We" } }] }, ECHO] },
  [{ text: "We" }, { cut: true }],
];

it("keeps the key out of events, outcomes, logs and the store, however it fails", async () => {
  let turn: ServerTurn = "";
  await serve(() => turn);
  const folder = mkdtempSync(join(tmpdir(), "reprise-canary-"));
  closers.push(async () => rmSync(folder, { recursive: true }));
  const lines: unknown[] = [];
  const store = await sqlite(join(folder, "reprise.db"));
  closers.push(() => store.close());
  const runtime = await open(
    { sections: { retry: { max_stream_retries: 0 } } },
    { store, env: createNodeEnv({ log: (...line) => lines.push(line) }) },
  );
  for (const failure of FAILURES) {
    turn = failure;
    const run = await runtime.start({ agent: "planner", input: "Hello." });
    const events: unknown[] = [];
    for await (const event of run.events()) events.push(event);
    const outcome = await run.outcome();
    expect(outcome).toMatchObject({ status: "failed" });
    expect(inspect([events, outcome], { depth: 20 })).not.toContain(CANARY);
  }
  await runtime.close();
  await store.close();
  expect(lines).toHaveLength(FAILURES.length);
  expect(inspect(lines, { depth: 20 })).not.toContain(CANARY);
  const files = readdirSync(folder).map((file) => readFileSync(join(folder, file)));
  expect(files.length).toBeGreaterThan(0);
  expect(files.some((content) => content.includes(CANARY))).toBe(false);
});
