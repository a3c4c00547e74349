import { scriptedModel } from "@reprise/models";
import { defineAgent } from "@reprise/runtime";
import { expect, it } from "vitest";
import { soon, until } from "../../runtime/test/support/wait.ts";
import type { HumanGateNode, Workflow } from "../src/document/workflow-document.ts";
import { defineWorkflow } from "../src/run/define-workflow.ts";
import { AGENT, agentNode, createFlowBench, edge, type FlowDefinition } from "./support/flow-bench.ts";

const GATE: HumanGateNode = { id: "gate", type: "human_gate", gate_type: "approval", message_template: "Yes?" };

async function startWaiting(workflow: FlowDefinition) {
  const bench = createFlowBench(workflow);
  const runtime = await bench.open("first");
  const run = await soon(runtime.start({ agent: "flow", threadId: "t", input: "" }));
  expect(await soon(run.outcome())).toMatchObject({ status: "waiting" });
  const decide = async (
    ...[decision]: Parameters<typeof runtime.decisions.decide> extends [string, ...infer Rest] ? Rest : never
  ) => {
    const [question] = await runtime.decisions.list({ threadId: "t" });
    await runtime.decisions.decide(question?.id ?? "", decision);
  };
  const end = async () => soon((await runtime.run(run.id)).outcome());
  return { ...bench, runtime, run, decide, end };
}

it("a rejected gate completes with the decision, and the run continues", async () => {
  const { decide, end } = await startWaiting({
    nodes: [GATE, { id: "after", type: "transform", expression: "run.outputs.gate.decision" }],
    edges: [edge("gate", "after")],
  });
  await decide({ action: "deny", reason: "Not now." });
  expect(await end()).toMatchObject({ status: "done", text: "rejected" });
});

it("an input gate gives what was supplied", async () => {
  const { decide, end } = await startWaiting({ nodes: [{ ...GATE, gate_type: "input" }] });
  await decide({ action: "supply", result: { color: "blue" } });
  const outcome = await end();
  expect(JSON.parse(outcome.status === "done" ? outcome.text : "{}")).toMatchObject({
    decision: "input_provided",
    payload: { color: "blue" },
  });
});

it.each([
  ["approve", { status: "done", text: "approved by timeout" }],
  ["reject", { status: "failed", code: "run_timeout" }],
] as const)(
  "a gate whose time is up is decided by its timeout_action, %s, also after a restart",
  async (timeout_action, expected) => {
    const nodes = [
      { ...GATE, timeout_ms: 60_000, timeout_action },
      {
        id: "after",
        type: "transform",
        expression: "run.outputs.gate.decision + ' by ' + run.outputs.gate.decided_by",
      },
    ] as const;
    const bench = await startWaiting({ nodes, edges: [edge("gate", "after")] });
    await bench.runtime.close();
    const second = await bench.open("second");
    await bench.env.advance(61_000);
    expect(await soon((await second.run(bench.run.id)).outcome())).toMatchObject(expected);
    expect(await soon(second.replay(bench.run.id))).toMatchObject({ equal: true });
  },
);

it("several gates are open at once and are decided in any order", async () => {
  const nodes = [
    GATE,
    { ...GATE, id: "gate-2", message_template: "And this?" },
    { id: "join", type: "merge", strategy: "concat" },
  ] as const;
  const { runtime, end } = await startWaiting({ nodes, edges: [edge("gate", "join"), edge("gate-2", "join")] });
  const questions = await runtime.decisions.list({ threadId: "t" });
  expect(questions).toHaveLength(2);
  for (const { id } of questions.toReversed()) await runtime.decisions.decide(id, { action: "approve" });
  expect(await end()).toMatchObject({ status: "done" });
});

it("a wait for an event takes its payload as the output", async () => {
  const { decide, end } = await startWaiting({ nodes: [{ id: "order", type: "wait", event: "paid" }] });
  await decide({ action: "supply", result: { amount: 3 } });
  expect(await end()).toMatchObject({ status: "done", text: '{"amount":3}' });
});

it("the time limit of a run ends its work and its waits", async () => {
  const bench = await startWaiting({ timeout_ms: 90_000, nodes: [GATE] });
  await bench.env.advance(91_000);
  expect(await bench.end()).toMatchObject({ status: "failed", code: "run_timeout" });
  expect(await soon(bench.runtime.replay(bench.run.id))).toMatchObject({ equal: true });
});

it("cancelling ends nodes at work and open gates", async () => {
  const bench = createFlowBench(
    { agents: [AGENT], nodes: [GATE, agentNode("slow")] },
    (_, __, { signal }) =>
      new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
  );
  const runtime = await bench.open("first");
  const run = await soon(runtime.start({ agent: "flow", threadId: "t", input: "" }));
  await until(() => bench.executed.length === 1);
  await run.cancel();
  expect(await soon(run.outcome())).toMatchObject({ status: "cancelled" });
  expect(await runtime.decisions.list({ threadId: "t" })).toEqual([]);
  expect(await soon(runtime.replay(run.id))).toMatchObject({ equal: true });
});

it("cancelling while answers are read is no failure of the nodes that it stops", async () => {
  let cancel: (() => Promise<void>) | undefined;
  const bench = createFlowBench(
    { agents: [AGENT], nodes: [GATE, agentNode("slow")] },
    (_, __, { signal }) =>
      new Promise((resolve) => {
        const error = { code: "cancelled", message: "The node was cancelled.", retryable: false } as const;
        signal.addEventListener("abort", () => resolve({ kind: "failed", error }));
      }),
  );
  const cancelling = new Proxy(bench.store.forTenant("default"), {
    get(tenant, name) {
      if (name !== "readInbox") return Reflect.get(tenant, name);
      return async (...asked: Parameters<typeof tenant.readInbox>) => {
        const once = cancel;
        cancel = undefined;
        await once?.();
        // The stopped node has come to its end before the answers are there.
        for (let turn = 0; turn < 50; turn++) await bench.env.yield();
        return tenant.readInbox(...asked);
      };
    },
  });
  const runtime = await bench.open("first", { store: { ...bench.store, forTenant: () => cancelling } });
  const run = await soon(runtime.start({ agent: "flow", threadId: "t", input: "" }));
  await until(async () => (await runtime.decisions.list({ threadId: "t" })).length === 1);
  cancel = () => run.cancel();
  const [question] = await runtime.decisions.list({ threadId: "t" });
  await runtime.decisions.decide(question?.id ?? "", { action: "approve" });
  expect(await soon(run.outcome())).toMatchObject({ status: "cancelled" });
  expect(await soon(runtime.replay(run.id))).toMatchObject({ equal: true });
});

it("a node whose agent is one of the runtime, and a sub-workflow, are runs below", async () => {
  const inner: Workflow = {
    id: "inner",
    inputs: [{ name: "n", type: "number", required: true }],
    nodes: [{ id: "double", type: "transform", expression: "inputs.n * 2" }],
  };
  const poet = defineAgent({ id: "poet", model: scriptedModel(["a poem"]) });
  const bench = createFlowBench(
    {
      nodes: [
        { id: "write", type: "agent", agent_ref: "poet", prompt_template: "Write." },
        { id: "sub", type: "subworkflow", workflow_ref: "inner", inputs: { n: "{{ run.outputs.write | length }}" } },
        { id: "out", type: "output" },
      ],
      edges: [edge("write", "sub"), edge("write", "out"), edge("sub", "out")],
    },
    undefined,
    [poet, defineWorkflow({ schema_version: "1.0", workflow: inner })],
  );
  const runtime = await bench.open("first");
  const run = await soon(runtime.start({ agent: "flow", threadId: "t", input: "" }));
  await until(async () => (await bench.store.forTenant("default").loadRun(run.id))?.status === "done");
  expect(await soon((await runtime.run(run.id)).outcome())).toMatchObject({
    status: "done",
    text: '{"sub":12,"write":"a poem"}',
  });
  const { items } = await runtime.runs({ limit: 10 });
  expect(items.map(({ agent_id }) => agent_id).toSorted()).toEqual(["flow", "inner", "poet"]);
  for (const { run_id } of items) expect(await soon(runtime.replay(run_id))).toMatchObject({ equal: true });
});

const CHANGED = {
  nodes: [GATE, { id: "after", type: "transform", expression: "'new'" }],
  edges: [edge("gate", "after")],
} as const;
const OLD = {
  nodes: [GATE, { id: "after", type: "transform", expression: "'old'" }],
  edges: [edge("gate", "after")],
} as const;

it.each([
  ["finish_old", { status: "done", text: "old" }],
  ["fail", { status: "failed", code: "validation" }],
  [{ restart_from: "after" }, { status: "done", text: "new" }],
] as const)(
  "a run whose document was changed does as the new document's upgrade says: %j",
  async (upgrade, expected) => {
    const bench = await startWaiting(OLD);
    await bench.runtime.close();
    const second = await bench.open("second", { workflow: { ...CHANGED, upgrade } });
    // The old process is known to be gone once its presence ran out: then another one may take its runs.
    await bench.env.advance(60_000);
    const [question] = await second.decisions.list({ threadId: "t" });
    await second.decisions.decide(question?.id ?? "", { action: "approve" });
    expect(await soon((await second.run(bench.run.id)).outcome())).toMatchObject(expected);
    expect(await soon(second.replay(bench.run.id))).toMatchObject({ equal: true });
  },
);

it("without an upgrade a person is asked what becomes of the run, and no answer to a gate is lost meanwhile", async () => {
  const bench = await startWaiting(OLD);
  await bench.runtime.close();
  const second = await bench.open("second", { workflow: CHANGED });
  await bench.env.advance(60_000);
  const [gate] = await second.decisions.list({ threadId: "t" });
  await second.decisions.decide(gate?.id ?? "", { action: "approve" });
  await until(async () =>
    (await second.decisions.list({ threadId: "t" })).some(({ ticket }) => ticket?.suspension.action === "upgrade"),
  );
  const [upgrade] = await second.decisions.list({ threadId: "t" });
  await second.decisions.decide(upgrade?.id ?? "", { action: "supply", result: { restart_from: "after" } });
  expect(await soon((await second.run(bench.run.id)).outcome())).toMatchObject({ status: "done", text: "new" });
  expect(await soon(second.replay(bench.run.id))).toMatchObject({ equal: true });
});

it("a tool that was interrupted is asked about, and its result can be supplied", async () => {
  const bench = createFlowBench(
    { nodes: [{ id: "pay", type: "tool", tool: "pay" }] },
    () => new Promise(() => undefined),
  );
  const first = await bench.open("first");
  const run = await soon(first.start({ agent: "flow", threadId: "t", input: "" }));
  await until(() => bench.executed.length === 1);
  let isClosed = false;
  void first.close().then(() => (isClosed = true));
  await until(async () => {
    await bench.env.advance(10);
    return isClosed;
  }, "the process to close");
  const second = await bench.open("second");
  await bench.env.advance(13_000);
  await until(async () => (await second.decisions.list({ threadId: "t" })).length === 1);
  const [question] = await second.decisions.list({ threadId: "t" });
  expect(question).toMatchObject({ ticket: { suspension: { action: "unknown_outcome" } } });
  await second.decisions.decide(question?.id ?? "", { action: "supply", result: "paid" });
  expect(await soon((await second.run(run.id)).outcome())).toMatchObject({ status: "done", text: "paid" });
  expect(bench.executed).toHaveLength(1);
});

it("nodes with a limit per key take turns", async () => {
  let open = 0;
  let most = 0;
  const bench = createFlowBench(
    {
      agents: [AGENT],
      nodes: [
        {
          id: "map",
          type: "fan_out",
          over: "[1,2,3,4]",
          body: { nodes: [{ ...agentNode("item"), concurrency: { key: "db", limit: 2 } }] },
        },
      ],
    },
    async (_, __, { work }) => {
      open += 1;
      most = Math.max(most, open);
      await work.env.yield();
      await work.env.yield();
      open -= 1;
      return "ok";
    },
  );
  const runtime = await bench.open("first");
  const run = await soon(runtime.start({ agent: "flow", threadId: "t", input: "" }));
  expect(await soon(run.outcome())).toMatchObject({ status: "done" });
  expect(most).toBe(2);
});

it("the time limit of a node goes on while its media is made: it is asked about one last time", async () => {
  const job = { provider: "p", model: "film", job_id: "j1", poll_after_ms: 40_000 };
  const nodes = [{ ...agentNode("film"), timeout_ms: 60_000 }];
  const bench = createFlowBench({ agents: [AGENT], nodes }, () => ({ kind: "media_job", job }));
  const runtime = await bench.open("first");
  const run = await soon(runtime.start({ agent: "flow", threadId: "t", input: "" }));
  const isWaiting = async () => (await bench.store.forTenant("default").loadRun(run.id))?.status === "waiting";
  await until(async () => bench.executed.length === 1 && (await isWaiting()));
  await bench.env.advance(40_001);
  await until(async () => bench.executed.length === 2 && (await isWaiting()));
  await bench.env.advance(20_001);
  expect(await soon((await runtime.run(run.id)).outcome())).toMatchObject({ status: "failed", code: "run_timeout" });
  expect(bench.executed).toHaveLength(3);
  expect(await soon(runtime.replay(run.id))).toMatchObject({ equal: true });
});

it("media that a provider makes in its own time is asked about until it is there, also in another process", async () => {
  const job = { provider: "p", model: "film", job_id: "j1", poll_after_ms: 30_000 };
  let asked = 0;
  const bench = createFlowBench(
    { agents: [AGENT], nodes: [agentNode("film"), agentNode("after")], edges: [edge("film", "after")] },
    (path) => {
      if (path === "after") return "seen";
      asked += 1;
      return asked < 3 ? { kind: "media_job", job } : { text: "", media: [] };
    },
  );
  const first = await bench.open("first");
  const run = await soon(first.start({ agent: "flow", threadId: "t", input: "" }));
  await until(async () => (await bench.store.forTenant("default").loadRun(run.id))?.status === "waiting");
  expect(await first.decisions.list({ threadId: "t" })).toEqual([]);
  await first.close();
  const second = await bench.open("second");
  await bench.env.advance(31_000);
  await until(() => asked === 2);
  await bench.env.advance(31_000);
  await until(async () => (await bench.store.forTenant("default").loadRun(run.id))?.status === "done");
  expect(await soon((await second.run(run.id)).outcome())).toMatchObject({ status: "done", text: "seen" });
  expect(asked).toBe(3);
  // One attempt, however often it is asked about.
  expect(new Set(bench.executed.filter(({ path }) => path === "film").map(({ attempt }) => attempt))).toEqual(
    new Set([1]),
  );
  expect(await soon(second.replay(run.id))).toMatchObject({ equal: true });
});

it("a node that takes too long fails with run_timeout, and is tried again only where retry_on names it", async () => {
  const slow = { ...agentNode("slow"), timeout_ms: 1_000, retry: { max: 2, backoff_ms: 1 } };
  for (const [node, times] of [
    [slow, 1],
    [{ ...slow, retry: { ...slow.retry, retry_on: ["run_timeout"] } }, 2],
  ] as const) {
    const bench = createFlowBench(
      { agents: [AGENT], nodes: [node] },
      (_, __, { signal }) =>
        new Promise((resolve) => {
          const error = { code: "cancelled", message: "The node was cancelled.", retryable: false } as const;
          signal.addEventListener("abort", () => resolve({ kind: "failed", error }));
        }),
    );
    const runtime = await bench.open("first");
    const run = await soon(runtime.start({ agent: "flow", threadId: "t", input: "" }));
    await until(async () => {
      await bench.env.advance(1_001);
      return (await bench.store.forTenant("default").loadRun(run.id))?.status === "done";
    });
    expect(await soon((await runtime.run(run.id)).outcome())).toMatchObject({ status: "failed", code: "run_timeout" });
    expect(bench.executed).toHaveLength(times);
  }
});

it("results that are ready share a commit with the nodes that begin after them", async () => {
  const bench = createFlowBench({
    agents: [AGENT],
    max_parallel: 5,
    nodes: [
      {
        id: "map",
        type: "fan_out",
        over: "Array.from({ length: 50 }, (_, i) => i)",
        body: { nodes: [agentNode("item")] },
      },
    ],
  });
  const runtime = await bench.open("first");
  const run = await soon(runtime.start({ agent: "flow", threadId: "t", input: "" }));
  expect(await soon(run.outcome())).toMatchObject({ status: "done" });
  const { changesets } = await runtime.exportRun(run.id);
  // Ten rounds of five, and what stands around them.
  expect(changesets.length).toBeLessThan(20);
  expect(await soon(runtime.replay(run.id))).toMatchObject({ equal: true });
});

it("runs of a workflow with the same key take turns, and a key may read the context", async () => {
  const open = new Map<string, number>();
  const most = new Map<string, number>();
  const bench = createFlowBench(
    {
      agents: [AGENT],
      inputs: [{ name: "customer", type: "string", required: true }],
      context: { customer: "{{ inputs.customer }}" },
      concurrency: { key: "{{ ctx.customer }}", limit: 1 },
      nodes: [agentNode("work", "{{ ctx.customer }}")],
    },
    async (_, __, { scope, work }) => {
      const customer = String(scope.ctx.customer);
      const count = (open.get(customer) ?? 0) + 1;
      open.set(customer, count);
      most.set(customer, Math.max(most.get(customer) ?? 0, count));
      // Both customers work at the same time.
      while (customer === "a" && !most.has("b")) await work.env.yield();
      for (let turn = 0; turn < 5; turn += 1) await work.env.yield();
      open.set(customer, count - 1);
      return "ok";
    },
  );
  const runtime = await bench.open("first");
  const runs = await Promise.all(
    ["a", "a", "b", "b"].map((customer, index) =>
      soon(runtime.start({ agent: "flow", threadId: `t${index}`, input: JSON.stringify({ customer }) })),
    ),
  );
  for (const run of runs) expect(await soon(run.outcome())).toMatchObject({ status: "done" });
  expect(Object.fromEntries(most)).toEqual({ a: 1, b: 1 });
});

it("a key that cannot be filled in fails, instead of being shared by all", async () => {
  const bench = createFlowBench({
    inputs: [{ name: "customer", type: "string" }],
    concurrency: { key: "{{ inputs.customer }}", limit: 1 },
    nodes: [{ id: "out", type: "output" }],
  });
  const runtime = await bench.open("first");
  const run = await soon(runtime.start({ agent: "flow", threadId: "t", input: "{}" }));
  expect(await soon(run.outcome())).toMatchObject({ status: "failed", code: "validation" });
});

it("large outputs are blobs, and nodes behind them read them as if they were not", async () => {
  const bench = createFlowBench({
    nodes: [
      { id: "big", type: "transform", expression: "'x'.repeat(100000)" },
      { id: "size", type: "transform", expression: "run.outputs.big.length" },
    ],
    edges: [edge("big", "size")],
  });
  const runtime = await bench.open("first");
  const run = await soon(runtime.start({ agent: "flow", threadId: "t", input: "" }));
  expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "100000" });
  const events = await soon(Array.fromAsync(run.events()));
  expect(JSON.stringify(events).length).toBeLessThan(20_000);
  expect(await soon(runtime.replay(run.id))).toMatchObject({ equal: true });
});

it("inputs that do not fit fail the run with every problem", async () => {
  const bench = createFlowBench({
    inputs: [
      { name: "n", type: "number", required: true },
      { name: "s", type: "string", required: true },
    ],
    nodes: [{ id: "out", type: "output" }],
  });
  const runtime = await bench.open("first");
  const run = await soon(runtime.start({ agent: "flow", threadId: "t", input: JSON.stringify({ n: "x", other: 1 }) }));
  const outcome = await soon(run.outcome());
  expect(outcome).toMatchObject({ status: "failed", code: "validation" });
  const said = outcome.status === "failed" ? outcome.error : "";
  for (const name of ["inputs.n", "inputs.s", "inputs.other"]) expect(said).toContain(name);
});
