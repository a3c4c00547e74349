import { type Message, textOf } from "@reprise/contracts";
import { type Script, scriptedModel } from "@reprise/models";
import { agentTools } from "@reprise/plugins/agent-tools";
import { createRuntime, defineAgent, defineTool } from "@reprise/runtime";
import { createMemoryBlobStore, createMemoryStore } from "@reprise/stores/memory";
import { createFakeEnv, eventually } from "@reprise/testkit";
import { expect, it, onTestFinished } from "vitest";

type Scripts = { readonly [agent: string]: Script };

/** Agents by their ids, each with the plugin and a tool that ends when the test says so. */
async function open(scripts: Scripts, env = createFakeEnv(), store = createMemoryStore({ clock: env.clock })) {
  const doors = new Map<string, () => void>();
  const wait = defineTool({
    id: "wait",
    description: "Waits.",
    class: "read_only",
    execute: (_, { identity }) =>
      new Promise<string>((resolve) => doors.set(identity.agentId, () => resolve("waited"))),
  });
  const models = Object.fromEntries(Object.entries(scripts).map(([id, script]) => [id, scriptedModel(script, id)]));
  const agents = Object.entries(models).map(([id, model]) =>
    defineAgent({ id, model, tools: [wait], plugins: [agentTools()], maxRounds: 20 }),
  );
  const options = { env, store, blobs: createMemoryBlobStore(env), limits: { closeTimeoutMs: 1 } };
  const runtime = await createRuntime({ ...options, agents });
  onTestFinished(() => void runtime.close().catch(() => undefined));
  const openDoor = async (agent: string): Promise<void> => {
    await eventually(() => expect([...doors.keys()]).toContain(agent));
    doors.get(agent)?.();
    doors.delete(agent);
  };
  const heard = (agent: string): string => JSON.stringify(models[agent]?.requests.at(-1)?.messages ?? []);
  const verifyAll = async (): Promise<void> => {
    for (const { run_id } of (await runtime.runs({ limit: 50 })).items)
      expect(await runtime.replay(run_id)).toMatchObject({ equal: true });
  };
  return { runtime, models, openDoor, heard, verifyAll, doors };
}

const start = (agent_id: string) => ({ call: "agent_run", arguments: { agent_id, prompt: "Work.", background: true } });
const send = (to: string, message: string) => ({ call: "send_message", arguments: { to, message } });
const WAIT = { call: "wait", arguments: {} };

const results = (messages: readonly Message[]) =>
  messages
    .filter(({ role }) => role === "tool")
    .map((message) => JSON.parse(textOf(message).replace(/^(\w+)$/, '"$1"')));

it("steers a task in the background: it reads the message before its next step, once", async () => {
  const { runtime, models, openDoor, heard, verifyAll } = await open({
    lead: ({ messages }, turn) => {
      if (turn === 1) return [start("worker")];
      if (turn === 2) return [WAIT];
      if (turn === 3) return [send(results(messages)[0].run_id, "Use metric units.")];
      return "sent";
    },
    worker: [[WAIT], [WAIT], "in metres"],
  });
  const run = await runtime.start({ agent: "lead", threadId: "t1", input: "go" });
  await eventually(() => expect(models.worker?.requests).toHaveLength(1));
  await openDoor("lead");
  expect(await run.outcome()).toMatchObject({ status: "done", text: "sent" });
  expect(results(models.lead?.requests.at(-1)?.messages ?? []).at(-1)).toMatchObject({
    status: "sent",
    agent_id: "worker",
  });
  expect(heard("worker")).not.toContain("metric");
  await openDoor("worker");
  await eventually(() => expect(models.worker?.requests).toHaveLength(2));
  expect(heard("worker")).toContain("Use metric units.");
  await openDoor("worker");
  await eventually(() => expect(models.worker?.requests).toHaveLength(3));
  expect(heard("worker").split("Use metric units.")).toHaveLength(2);
  await eventually(async () =>
    expect((await runtime.runs({ limit: 50 })).items.every(({ status }) => status === "done")).toBe(true),
  );
  await verifyAll();
});

it("lets a task tell the agent above, and an agent beside it by its name", async () => {
  const { runtime, models, openDoor, heard } = await open({
    lead: [[start("scout"), start("guard")], [WAIT], "done", "noted", "noted"],
    scout: [[WAIT], [send("parent", "I see smoke."), send("guard", "Come here.")], "told them"],
    guard: [[WAIT], "on my way"],
  });
  const run = await runtime.start({ agent: "lead", threadId: "t1", input: "go" });
  await eventually(() => expect(models.guard?.requests).toHaveLength(1));
  await openDoor("scout");
  await eventually(() => expect(models.scout?.requests).toHaveLength(3));
  await openDoor("guard");
  await eventually(() => expect(models.guard?.requests).toHaveLength(2));
  expect(heard("guard")).toContain("Come here.");
  await openDoor("lead");
  expect(await run.outcome()).toMatchObject({ status: "done" });
  expect(heard("lead")).toContain("I see smoke.");
});

it("refuses a run that is over, a run of another tree, itself, nobody, an empty text and one that is too long", async () => {
  let other = "";
  const { runtime, models } = await open({
    stranger: [[WAIT]],
    lead: ({ messages }, turn) => {
      if (turn === 1) return [{ call: "agent_run", arguments: { agent_id: "worker", prompt: "Work." } }];
      const { run_id } = results(messages)[0];
      if (turn > 2) return "done";
      return [
        send(run_id, "Are you there?"),
        send(other, "Hello?"),
        send("stranger", "Hello?"),
        send("parent", "Hello?"),
        send("worker", "Hello?"),
        send(other, " "),
        send(other, "x".repeat(20_000)),
      ];
    },
    worker: ["done"],
  });
  other = (await runtime.start({ agent: "stranger", threadId: "t0", input: "go" })).id;
  const outcome = await runtime.runToCompletion({ agent: "lead", threadId: "t1", input: "go" });
  expect(outcome).toMatchObject({ status: "done", text: "done" });
  const [, ...sent] = results(models.lead?.requests.at(-1)?.messages ?? []);
  expect(sent.map(({ error }) => error.code)).toEqual([
    "invalid_state",
    "unknown_run",
    "unknown_run",
    "invalid_arguments",
    "unknown_run",
    "invalid_arguments",
    "invalid_arguments",
  ]);
});

it("makes no run of a message whose run ended before it could be read", async () => {
  const { runtime, models, openDoor } = await open({
    lead: ({ messages }, turn) => {
      if (turn === 1) return [start("worker")];
      if (turn === 2) return [WAIT];
      if (turn === 3) return [send(results(messages)[0].run_id, "Too late?")];
      return "sent";
    },
    // Its last step: what comes after it is not read.
    worker: () => [{ call: "wait", arguments: {} }, { text: "bye" }],
  });
  const run = await runtime.start({ agent: "lead", threadId: "t1", input: "go" });
  await eventually(() => expect(models.worker?.requests).toHaveLength(1));
  await openDoor("lead");
  expect(await run.outcome()).toMatchObject({ status: "done" });
  const worker = (await runtime.runs({ parentRunId: run.id })).items[0];
  await (await runtime.run(worker?.run_id ?? "")).cancel("enough");
  await eventually(async () =>
    expect((await runtime.run(worker?.run_id ?? "")).record()).resolves.toMatchObject({ status: "done" }),
  );
  await eventually(async () => {
    const { items } = await runtime.mailbox.list({ threadId: worker?.thread_id ?? "" });
    expect(items.find(({ run_id }) => run_id.startsWith("message-"))?.status).toBe("dead_letter");
  });
  expect((await runtime.runs({ threadId: worker?.thread_id ?? "" })).items).toHaveLength(1);
});

it("sends the message of a call once, however often the call is executed", async () => {
  const env = createFakeEnv();
  const twice = defineTool({
    id: "twice",
    description: "Sends a message as a call does that is executed again after a crash.",
    execute: async (_, { runs }) => {
      const child = await runs.start({ agentId: "worker", prompt: "Work.", background: true });
      for (let time = 0; time < 2; time += 1) await runs.send({ to: child.runId, message: "Hear me." });
      await runs.send({ to: "worker", message: "And this.", key: "second" });
      return "sent";
    },
  });
  const worker = scriptedModel(["heard"]);
  const runtime = await createRuntime({
    agents: [
      defineAgent({ id: "lead", tools: [twice], model: scriptedModel([[{ call: "twice" }], "done", "told"]) }),
      defineAgent({ id: "worker", model: worker }),
    ],
    env,
    store: createMemoryStore({ clock: env.clock }),
    blobs: createMemoryBlobStore(env),
    limits: { closeTimeoutMs: 1 },
  });
  onTestFinished(() => void runtime.close().catch(() => undefined));
  const run = await runtime.start({ agent: "lead", threadId: "t1", input: "go" });
  await run.outcome();
  const [child] = (await runtime.runs({ parentRunId: run.id })).items;
  const { items } = await runtime.mailbox.list({ threadId: child?.thread_id ?? "" });
  expect(items.filter(({ run_id }) => run_id.startsWith("message-"))).toHaveLength(2);
});
