import { awaitRun, type Store, textOf } from "@reprise/contracts";
import { type Script, scriptedModel } from "@reprise/models";
import { createRuntime, defineAgent, defineTool, type Limits, type Runtime } from "@reprise/runtime";
import { expect, it, onTestFinished } from "vitest";
import { interceptStore } from "../support/intercept-store.ts";
import { createWorld, type World } from "../support/open-runtime.ts";
import { settle, soon, until } from "../support/wait.ts";

// A run below need not end by a last step of its own. However it ends, the call that waits for it hears of it, and nothing is left open.

/** The boss delegates once, and says what it heard. */
const BOSS: Script = ({ messages }) => {
  const last = messages.at(-1);
  return last?.role === "tool" ? `heard ${textOf(last)}` : [{ call: "delegate", arguments: {} }];
};
const STOPPED = { status: "done", text: expect.stringContaining('"status":"stopped"') };

interface Process {
  readonly worker: Script;
  readonly world?: World;
  readonly store?: Store;
  readonly limits?: Partial<Limits>;
  /** What the delegating tool does before it delegates. */
  readonly before?: (runtime: Runtime) => Promise<unknown>;
}

async function open({ worker, world = createWorld(), store = world.store, limits, before }: Process) {
  const released = Promise.withResolvers<void>();
  const delegate = defineTool({
    id: "delegate",
    description: "Has the worker work.",
    inputSchema: { type: "object" },
    idempotent: true,
    execute: async (_, { runs }) => {
      await before?.(runtime);
      return awaitRun(await runs.start({ agentId: "worker", prompt: "look" }));
    },
  });
  const gate = defineTool({
    id: "gate",
    description: "Waits for the test, whatever happens to its run.",
    inputSchema: { type: "object" },
    idempotent: true,
    execute: async () => {
      await released.promise;
      return "open";
    },
  });
  const ask = defineTool({
    id: "ask",
    description: "Needs a yes.",
    inputSchema: { type: "object" },
    needsApproval: true,
    execute: () => "asked",
  });
  const model = scriptedModel(worker, "worker");
  const runtime = await createRuntime({
    ...world,
    store,
    agents: [
      defineAgent({ id: "boss", model: scriptedModel(BOSS, "boss"), tools: [delegate] }),
      defineAgent({ id: "worker", model, tools: [gate, ask] }),
    ],
    limits: { closeTimeoutMs: 1, ...limits },
  });
  onTestFinished(() => void runtime.close().catch(() => undefined));
  const start = async () => {
    const run = await runtime.start({ agent: "boss", threadId: "above", input: "go" });
    await until(async () => (await run.record()).awaits_runs === true, "the run above to wait");
    const [call] = (await runtime.calls({ runId: run.id })).items;
    return { run, childId: call?.ticket?.run_id ?? "" };
  };
  return { world, runtime, model, start, release: released.resolve };
}

const WAITS: Script = ({ messages }) =>
  textOf(messages.at(-1) ?? { content: "" }) === "no" ? "ok" : [{ call: "ask", arguments: {} }];

it("tells the call that its run was stopped when that run is cancelled before any process began it", async () => {
  const { runtime, start, release } = await open({
    worker: () => [{ call: "gate", arguments: {} }],
    limits: { maxActiveRuns: 1 },
    // Takes the only slot as soon as the run above gives it back.
    before: (own) => own.submit({ agent_id: "worker", thread_id: "busy", messages: [{ role: "user", content: "go" }] }),
  });
  const { run, childId } = await start();
  await (await runtime.run(childId)).cancel();
  release();
  for (const { run_id } of (await runtime.runs({ threadId: "busy" })).items) await (await runtime.run(run_id)).cancel();
  expect(await soon(run.outcome())).toMatchObject(STOPPED);
  expect((await runtime.runs({ parentRunId: run.id })).items).toEqual([]);
});

it("tells the call that its run was stopped when a message supersedes that run while it waits for a decision", async () => {
  const { runtime, start } = await open({ worker: WAITS });
  const { run, childId } = await start();
  await until(async () => (await runtime.decisions.list()).length === 1, "the question");
  const thread_id = `sub-agent-${childId}`;
  await runtime.submit({ agent_id: "worker", thread_id, messages: [{ role: "user", content: "no" }] });
  expect(await soon(run.outcome())).toMatchObject(STOPPED);
});

it("tells the call that its run was stopped when the thread of that run is deleted", async () => {
  const { runtime, start } = await open({ worker: WAITS });
  const { run, childId } = await start();
  await until(async () => (await runtime.decisions.list()).length === 1, "the question");
  await runtime.threads.delete(`sub-agent-${childId}`);
  expect(await soon(run.outcome())).toMatchObject(STOPPED);
});

it("tells the call that its run was stopped when the thread of that run is interrupted before the run began", async () => {
  const { runtime, start, release } = await open({
    worker: () => [{ call: "gate", arguments: {} }],
    limits: { maxActiveRuns: 1 },
    before: (own) => own.submit({ agent_id: "worker", thread_id: "busy", messages: [{ role: "user", content: "go" }] }),
  });
  const { run, childId } = await start();
  await runtime.mailbox.interrupt(`sub-agent-${childId}`);
  release();
  for (const { run_id } of (await runtime.runs({ threadId: "busy" })).items) await (await runtime.run(run_id)).cancel();
  expect(await soon(run.outcome())).toMatchObject(STOPPED);
});

it("cancels the runs below a run whose thread is deleted", async () => {
  const { runtime, start } = await open({ worker: WAITS });
  const { childId } = await start();
  await until(async () => (await runtime.decisions.list()).length === 1, "the question");
  await runtime.threads.delete("above");
  expect(await soon((await runtime.run(childId)).outcome())).toMatchObject({ status: "cancelled" });
});

it("asks no model for a run whose tree was cancelled, also in a process that has not heard of it", async () => {
  const world = createWorld();
  let isDeaf = false;
  // Hears of work until its run below is under way, and of nothing after that.
  const deaf = interceptStore(world.store, {
    tenant: () => ({}),
    operator: (inner) => ({ watch: (listener) => inner.watch((signal) => (isDeaf ? undefined : listener(signal))) }),
  });
  const first = await open({ worker: () => [{ call: "gate", arguments: {} }], world, store: deaf });
  const { run, childId } = await first.start();
  await until(() => first.model.requests.length === 1, "the first request");
  isDeaf = true;
  const second = await open({ worker: () => "never", world, limits: { maxActiveRuns: 0 } });
  await (await second.runtime.run(run.id)).cancel();
  first.release();
  await settle();
  expect(first.model.requests).toHaveLength(1);
  // Renewing its lease, the process looks for what it did not hear of.
  await world.env.advance(3_000);
  expect(await soon((await second.runtime.run(childId)).outcome())).toMatchObject({ status: "cancelled" });
  expect(first.model.requests).toHaveLength(1);
  expect(await soon(second.runtime.replay(childId))).toMatchObject({ equal: true });
});
