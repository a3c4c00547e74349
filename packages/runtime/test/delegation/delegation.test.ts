import { awaitRun, type ChildRun, type NewChildRun, type Tool, textOf } from "@reprise/contracts";
import { type Script, scriptedModel } from "@reprise/models";
import { createRuntime, defineAgent, defineTool, type Limits, type Runtime } from "@reprise/runtime";
import { describe, expect, it, onTestFinished } from "vitest";
import { interceptStore } from "../support/intercept-store.ts";
import { createWorld, type World } from "../support/open-runtime.ts";
import { settle, soon, until } from "../support/wait.ts";

/** Starts runs of another agent and waits for them, or not. */
const delegate = defineTool({
  id: "delegate",
  description: "Has another agent work.",
  inputSchema: { type: "object", additionalProperties: true },
  idempotent: true,
  execute: async (child: NewChildRun, { runs }) => {
    const started = await runs.start(child);
    return child.background === true ? { ...started } : awaitRun(started);
  },
});

const look = defineTool({
  id: "look",
  description: "Looks after a run.",
  inputSchema: { type: "object", additionalProperties: true },
  execute: async ({ runId }: { readonly runId: string }, { runs }) => {
    const found: ChildRun | undefined = await runs.load(runId);
    return { ...found, isFound: found !== undefined };
  },
});

const ask = defineTool({
  id: "ask",
  description: "Needs a yes.",
  inputSchema: { type: "object" },
  needsApproval: true,
  execute: () => "asked",
});

/** A tool that begins, and ends when the test says so or the run is cancelled. */
function createGate() {
  const begun = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const gate = defineTool({
    id: "gate",
    description: "Waits.",
    inputSchema: { type: "object" },
    idempotent: true,
    execute: async (_, { signal }) => {
      begun.resolve();
      signal.addEventListener("abort", () => released.resolve(), { once: true });
      await released.promise;
      return "open";
    },
  });
  return { gate, begun: begun.promise, release: released.resolve };
}

interface Team {
  readonly tools?: readonly Tool[];
  readonly boss: Script;
  readonly worker?: Script;
  readonly limits?: Partial<Limits>;
}

async function openTeam(world: World, { boss, worker = () => "found it", limits, tools: more = [] }: Team) {
  const models = { boss: scriptedModel(boss, "boss"), worker: scriptedModel(worker, "worker") };
  const tools = [delegate, look, ask, ...more];
  const runtime = await createRuntime({
    ...world,
    agents: [
      defineAgent({ id: "boss", model: models.boss, tools }),
      defineAgent({ id: "worker", model: models.worker, tools, allowedAgents: ["worker"] }),
    ],
    limits: { closeTimeoutMs: 1, ...limits },
  });
  onTestFinished(() => void runtime.close().catch(() => undefined));
  return { runtime, ...models };
}

const START = { call: "delegate", arguments: { agentId: "worker", prompt: "look" } } as const;
const start = (runtime: Runtime) => runtime.start({ agent: "boss", threadId: "above", input: "go" });

describe("a call that waits for a run below", () => {
  it("gets the answer of that run as its result, and both runs verify by replay", async () => {
    const { runtime, boss } = await openTeam(createWorld(), { boss: [[START], "thanks"] });
    const run = await start(runtime);
    expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "thanks" });
    const [child] = (await runtime.runs({ parentRunId: run.id })).items;
    expect(child).toMatchObject({
      agent_id: "worker",
      origin: "subagent",
      parent_thread_id: "above",
      root_run_id: run.id,
      depth: 1,
      thread_id: `sub-agent-${child?.run_id}`,
    });
    const result = JSON.parse(textOf(boss.requests[1]?.messages.at(-1) ?? { content: "" }));
    expect(result).toEqual({ run_id: child?.run_id, agent_id: "worker", status: "completed", output: "found it" });
    for (const id of [run.id, child?.run_id ?? ""])
      expect(await soon(runtime.replay(id))).toMatchObject({ equal: true });
  });

  it("holds no slot and asks no person meanwhile, and messages that come are queued behind it", async () => {
    const { gate, release } = createGate();
    const { runtime } = await openTeam(createWorld(), {
      boss: [[START], "thanks", "second"],
      worker: [[{ call: "gate", arguments: {} }], "found it"],
      tools: [gate],
      // Were the slot held, the run below could never begin.
      limits: { maxActiveRuns: 1 },
    });
    const run = await start(runtime);
    await until(async () => (await run.record())?.awaits_runs === true);
    expect(await runtime.decisions.list()).toEqual([]);
    const [call] = (await runtime.calls({ runId: run.id })).items;
    await expect(runtime.decisions.decide(call?.call_id ?? "", { action: "approve" })).rejects.toMatchObject({
      code: "NOT_SUSPENDED",
      message: expect.stringContaining("Cancel that run"),
    });
    const next = await runtime.start({ agent: "boss", threadId: "above", input: "and then?" });
    release();
    expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "thanks" });
    expect(await soon(next.outcome())).toMatchObject({ status: "done", text: "second" });
  });

  it("is one stream for its readers, which ends when the run does", async () => {
    const { runtime } = await openTeam(createWorld(), { boss: [[START], "thanks"] });
    const run = await start(runtime);
    const types = (await soon(Array.fromAsync(run.events()))).map(({ type }) => type);
    expect(types.filter((type) => type === "run_finish")).toHaveLength(1);
    expect(types.at(-1)).toBe("run_finish");
    expect(types.filter((type) => type === "tool_call_done")).toHaveLength(1);
    expect(types).toContain("activity_snapshot");
  });

  it("waits while the run below waits for a person, whose decision continues both", async () => {
    const { runtime } = await openTeam(createWorld(), {
      boss: [[START], "thanks"],
      worker: [[{ call: "ask", arguments: {} }], "done"],
    });
    const run = await start(runtime);
    await until(async () => (await runtime.decisions.list()).length === 1);
    const [open] = await runtime.decisions.list();
    expect(open).toMatchObject({ tool_id: "ask", thread_id: expect.stringMatching(/^sub-agent-/) });
    await runtime.decisions.decide(open?.id ?? "", { action: "approve" });
    expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "thanks" });
  });

  it("hears that the run below failed, and continues", async () => {
    const { runtime, boss } = await openTeam(createWorld(), {
      boss: [[START], "a pity"],
      // A model without a turn refuses the request.
      worker: [],
    });
    const run = await start(runtime);
    expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "a pity" });
    expect(textOf(boss.requests[1]?.messages.at(-1) ?? { content: "" })).toContain('"status":"failed"');
  });
});

describe("cancelling a run", () => {
  it("cancels the runs below it, to the bottom, and none of them asks its model again", async () => {
    const { gate, begun } = createGate();
    const { runtime, worker } = await openTeam(createWorld(), {
      boss: [[START], "never"],
      // Five deep, no run may start another, and the last waits in its tool.
      worker: (_, turn) => (turn === 1 ? [START] : [{ call: "gate", arguments: {} }]),
      tools: [gate],
    });
    const run = await start(runtime);
    await soon(begun);
    await run.cancel();
    expect(await soon(run.outcome())).toMatchObject({ status: "cancelled" });
    const tree = async () => (await runtime.runs({ limit: 10 })).items;
    await until(async () => (await tree()).every(({ status }) => status === "done"));
    expect((await tree()).map(({ termination_code }) => termination_code)).toEqual(Array(6).fill("cancelled"));
    expect(worker.requests).toHaveLength(6);
    for (const { run_id } of await tree()) expect(await soon(runtime.replay(run_id))).toMatchObject({ equal: true });
  });
});

it("stops a run that a tool starts after the run of its call was cancelled", async () => {
  const [begun, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const late = defineTool({
    id: "late",
    description: "Does not listen.",
    inputSchema: { type: "object" },
    execute: async (_, { runs }) => {
      begun.resolve();
      await released.promise;
      return awaitRun(await runs.start({ agentId: "worker", prompt: "look" }));
    },
  });
  const { gate } = createGate();
  const { runtime } = await openTeam(createWorld(), {
    boss: [[{ call: "late", arguments: {} }]],
    worker: [[{ call: "gate", arguments: {} }]],
    tools: [late, gate],
  });
  const run = await start(runtime);
  await soon(begun.promise);
  await run.cancel();
  expect(await soon(run.outcome())).toMatchObject({ status: "cancelled" });
  released.resolve();
  const children = async () => (await runtime.runs({ parentRunId: run.id })).items;
  await until(async () => (await children()).some(({ status }) => status === "done"));
  expect(await children()).toMatchObject([{ termination_code: "cancelled" }]);
});

it("leaves the run that a tool starts to the next owner, when its own owner loses the claim meanwhile", async () => {
  const world = createWorld();
  const [begun, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const store = interceptStore(world.store, {
    tenant: (inner) => ({
      async submit(entry) {
        if (entry.request.agent_id !== "worker") return inner.submit(entry);
        // Another process may take it, as soon as there is one.
        const submitted = await inner.submit(entry);
        begun.resolve();
        await released.promise;
        return submitted;
      },
    }),
  });
  const boss: Script = ({ messages }) => (messages.length === 1 ? [START] : "thanks");
  const first = await openTeam({ ...world, store }, { boss, limits: { maxActiveRuns: 1 } });
  const run = await start(first.runtime);
  await soon(begun.promise);
  const closed = first.runtime.close();
  await until(async () => {
    await world.env.advance(100);
    return (await world.store.operator.listLeases("default")).length === 0;
  });
  await soon(closed);
  released.resolve();
  await settle(50);
  const { runtime } = await openTeam(world, { boss });
  expect(await soon((await runtime.run(run.id)).outcome())).toMatchObject({ status: "done", text: "thanks" });
  expect((await runtime.runs({ parentRunId: run.id })).items).toMatchObject([{ termination_code: "natural" }]);
  expect(await soon(runtime.replay(run.id))).toMatchObject({ equal: true });
});

describe("a run in the background", () => {
  it("is cancelled with the run above and does not wake its thread again", async () => {
    const { gate, begun } = createGate();
    const background = { call: "delegate", arguments: { agentId: "worker", prompt: "look", background: true } };
    const { runtime, boss } = await openTeam(createWorld(), {
      boss: [[background], [{ call: "ask", arguments: {} }], "woken"],
      worker: [[{ call: "gate", arguments: {} }], "never"],
      tools: [gate],
    });
    const run = await start(runtime);
    await soon(begun);
    await until(async () => (await runtime.decisions.list()).length === 1);
    await run.cancel();
    expect(await soon(run.outcome())).toMatchObject({ status: "cancelled" });
    const [child] = (await runtime.runs({ parentRunId: run.id })).items;
    expect(await soon((await runtime.run(child?.run_id ?? "")).outcome())).toMatchObject({ status: "cancelled" });
    // A notice would be stored before the end of the run below.
    const entries = (await runtime.mailbox.list({ threadId: "above" })).items;
    expect(entries.filter(({ kind }) => kind === "run")).toHaveLength(1);
    expect(boss.requests).toHaveLength(2);
    expect(await soon(runtime.replay(child?.run_id ?? ""))).toMatchObject({ equal: true });
  });

  it("leaves no notice that would wake the thread after the run above was cancelled", async () => {
    const { gate, begun } = createGate();
    const afterGate = defineTool({
      id: "after_gate",
      description: "Waits until the gate is waited for.",
      inputSchema: { type: "object" },
      class: "read_only",
      execute: () => begun,
    });
    const background = { call: "delegate", arguments: { agentId: "worker", prompt: "look", background: true } };
    const { runtime, boss } = await openTeam(createWorld(), {
      boss: [[background], [{ call: "gate", arguments: {} }], "woken"],
      // Over when no step is left in which the run above would read the notice.
      worker: [[{ call: "after_gate", arguments: {} }], "found it"],
      tools: [gate, afterGate],
    });
    const run = await start(runtime);
    await soon(begun);
    const notices = async () => (await runtime.mailbox.list({ threadId: "above" })).items.slice(1);
    await until(async () => (await notices()).length === 1, "the notice");
    await run.cancel();
    expect(await soon(run.outcome())).toMatchObject({ status: "cancelled" });
    await until(async () => (await notices())[0]?.status === "cancelled", "the end of the notice");
    expect((await runtime.runs({ threadId: "above" })).items).toHaveLength(1);
    expect(boss.requests).toHaveLength(2);
  });

  it("does not wake the thread when the run above was cancelled at its last commit, and so ended by itself", async () => {
    const { gate, begun } = createGate();
    const ending = Promise.withResolvers<void>();
    const [above, below] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let isCancelling = false;
    const world = createWorld();
    const store = interceptStore(world.store, {
      tenant: (inner) => ({
        async commit(changeset, guard) {
          const [run] = changeset.runs;
          if (run?.agent_id === "boss" && run.status === "done") {
            ending.resolve();
            await above.promise;
          }
          if (run?.agent_id === "worker" && isCancelling) await below.promise;
          return inner.commit(changeset, guard);
        },
      }),
    });
    const background = { call: "delegate", arguments: { agentId: "worker", prompt: "look", background: true } };
    const { runtime, boss } = await openTeam(
      { ...world, store },
      {
        boss: [[background], "answered", "woken"],
        worker: [[{ call: "gate", arguments: {} }], "never"],
        tools: [gate],
      },
    );
    const run = await start(runtime);
    await soon(Promise.all([begun, ending.promise]));
    isCancelling = true;
    await run.cancel();
    above.resolve();
    expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "answered" });
    below.resolve();
    const [child] = (await runtime.runs({ parentRunId: run.id })).items;
    expect(await soon((await runtime.run(child?.run_id ?? "")).outcome())).toMatchObject({ status: "cancelled" });
    // A notice would be stored before the end of the run below.
    const entries = (await runtime.mailbox.list({ threadId: "above" })).items;
    expect(entries.filter(({ kind }) => kind === "run")).toHaveLength(1);
    expect(boss.requests).toHaveLength(2);
    expect(await soon(runtime.replay(child?.run_id ?? ""))).toMatchObject({ equal: true });
  });

  it("is started at once, can be looked after, and writes to the thread when it is over", async () => {
    const background = { call: "delegate", arguments: { agentId: "worker", prompt: "look", background: true } };
    const { runtime, boss } = await openTeam(createWorld(), {
      boss: ({ messages }) => (messages.length === 1 ? [background] : "noted"),
    });
    const run = await start(runtime);
    expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "noted" });
    await until(async () => (await runtime.threads.messages("above", { visibility: "internal" })).messages.length > 0);
    const [notice] = (await runtime.threads.messages("above", { visibility: "internal" })).messages;
    expect(textOf(notice ?? { content: "" })).toContain("found it");
    // Read by the run that is at work, or by one of its own.
    await until(() => boss.requests.some(({ messages }) => messages.map(textOf).join().includes("found it")));
  });
});

describe("the size of a tree", () => {
  it.each([
    ["depth", { depth: 1, children: 20, tree: 100 }],
    ["children", { depth: 5, children: 0, tree: 100 }],
    ["tree", { depth: 5, children: 20, tree: 1 }],
  ] as const)("is limited in its %s, and the model reads which limit it was", async (limit, delegation) => {
    const deep = ({ messages }: { readonly messages: readonly unknown[] }) => (messages.length === 1 ? [START] : "end");
    const { runtime } = await openTeam(createWorld(), { boss: deep, worker: deep, limits: { delegation } });
    const run = await start(runtime);
    expect(await soon(run.outcome())).toMatchObject({ status: "done" });
    const runs = (await runtime.runs({ limit: 50 })).items;
    expect(runs).toHaveLength(limit === "children" ? 1 : 2);
    const refused = runs.at(limit === "children" ? 0 : runs.findIndex(({ depth }) => depth === 1));
    const { messages } = await runtime.threads.messages(refused?.thread_id ?? "");
    expect(messages.map(textOf).join("\n")).toContain("cannot start another run");
  });
});

describe("a run below", () => {
  it("is not found by other threads", async () => {
    let childId = "";
    const { runtime, boss } = await openTeam(createWorld(), {
      boss: ({ messages }) => {
        const asked = textOf(messages.at(0) as { content: string });
        if (messages.length > 1) return "end";
        return asked === "go" ? [START] : [{ call: "look", arguments: { runId: childId } }];
      },
    });
    const run = await start(runtime);
    await soon(run.outcome());
    childId = (await runtime.runs({ parentRunId: run.id })).items[0]?.run_id ?? "";
    await soon((await runtime.start({ agent: "boss", threadId: "other", input: "steal" })).outcome());
    expect(textOf(boss.requests.at(-1)?.messages.at(-1) ?? { content: "" })).toContain('"isFound":false');
  });
});
