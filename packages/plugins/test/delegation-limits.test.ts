import { type Message, textOf } from "@reprise/contracts";
import { type Script, scriptedModel } from "@reprise/models";
import { agentTools } from "@reprise/plugins/agent-tools";
import { createRuntime, defineAgent, type Limits, type Runtime } from "@reprise/runtime";
import { createMemoryBlobStore, createMemoryStore } from "@reprise/stores/memory";
import { createFakeEnv } from "@reprise/testkit";
import { expect, it, onTestFinished } from "vitest";

const task = (prompt: string) => ({ call: "agent_run", arguments: { agent_id: "agent", prompt } });

function resultsOf(messages: readonly Message[]): readonly { readonly error?: object; readonly status?: string }[] {
  return messages.flatMap((message) => (message.role === "tool" ? [JSON.parse(textOf(message))] : []));
}

/** An agent that has itself work for it. */
async function open(script: Script, limits: Partial<Limits> = {}): Promise<Runtime> {
  const env = createFakeEnv();
  const model = scriptedModel(script, "agent");
  const runtime: Runtime = await createRuntime({
    env,
    store: createMemoryStore({ clock: env.clock }),
    blobs: createMemoryBlobStore(env),
    agents: [defineAgent({ id: "agent", model, allowedAgents: ["agent"], plugins: [agentTools()] })],
    limits: { closeTimeoutMs: 1, ...limits },
  });
  onTestFinished(() => void runtime.close().catch(() => undefined));
  return runtime;
}

/** The first message is the prompt of a run, and its first number how many tasks it starts at once. */
const wide: Script = ({ messages }) => {
  const refused = resultsOf(messages).filter(({ error }) => error !== undefined);
  if (refused.length > 0) return JSON.stringify(refused.map(({ error }) => error));
  if (messages.some(({ role }) => role === "tool")) return "done";
  const [first = 0, ...more] = textOf(messages[0] ?? { content: "" })
    .split(" ")
    .map(Number);
  return first === 0 ? "done" : Array.from({ length: first }, () => task(more.join(" ")));
};

/** Each run starts one more task, until as many are below each other as the prompt of the first says. */
const deep: Script = ({ messages }) => {
  const [result] = resultsOf(messages);
  if (result !== undefined) return JSON.stringify(result);
  const levels = Number(textOf(messages[0] ?? { content: "" }));
  return levels === 0 ? "the bottom" : [task(String(levels - 1))];
};

async function depths(runtime: Runtime): Promise<readonly number[]> {
  return (await runtime.runs({ limit: 200 })).items.map(({ depth = 0 }) => depth).toSorted((one, other) => one - other);
}

it("a run starts 20 tasks by default", async () => {
  const runtime = await open(wide);
  const outcome = await runtime.runToCompletion({ agent: "agent", input: "21" });
  expect(JSON.parse((outcome.status === "done" && outcome.text) || "")).toMatchObject([
    { code: "denied", limit: "children", most: 20 },
  ]);
  expect((await runtime.runs({ limit: 200 })).items).toHaveLength(21);
});

it("a tree has 100 tasks by default", async () => {
  const runtime = await open(wide);
  await runtime.runToCompletion({ agent: "agent", input: "6 19" });
  const { items } = await runtime.runs({ limit: 200 });
  expect(items).toHaveLength(101);
  const refused: unknown[] = [];
  for (const { thread_id, depth } of items) {
    if (depth !== 1) continue;
    const { messages } = await runtime.threads.messages(thread_id);
    refused.push(...resultsOf(messages).flatMap(({ error }) => error ?? []));
  }
  // Six tasks of the first run, and 94 of the 114 that those want.
  expect(refused).toHaveLength(20);
  expect(refused).toEqual(refused.map(() => expect.objectContaining({ code: "denied", limit: "tree", most: 100 })));
});

it("tasks are five deep by default", async () => {
  const runtime = await open(deep);
  const outcome = await runtime.runToCompletion({ agent: "agent", input: "7" });
  expect(await depths(runtime)).toEqual([0, 1, 2, 3, 4, 5]);
  expect(outcome).toMatchObject({ status: "done", text: expect.stringContaining("completed") });
  const deepest = (await runtime.runs({ limit: 200 })).items.find(({ depth }) => depth === 5);
  const { messages } = await runtime.threads.messages(deepest?.thread_id ?? "");
  expect(resultsOf(messages)).toMatchObject([{ error: { code: "denied", limit: "depth", most: 5 } }]);
});

it("tasks are seven deep where the depth has no limit, and each answer reaches the top", async () => {
  const runtime = await open(deep, { delegation: { depth: null, children: 20, tree: 100 } });
  const outcome = await runtime.runToCompletion({ agent: "agent", input: "7" });
  expect(await depths(runtime)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  expect(outcome).toMatchObject({ status: "done", text: expect.stringContaining("the bottom") });
  for (const { run_id } of (await runtime.runs({ limit: 200 })).items)
    expect(await runtime.replay(run_id)).toMatchObject({ equal: true });
});
