import type { AgentEvent } from "@reprise/contracts";
import type { Decisions } from "@reprise/runtime";
import { expect, it } from "vitest";
import { soon, until } from "../../runtime/test/support/wait.ts";
import type { WorkflowNode } from "../src/document/workflow-document.ts";
import type { WorkflowHost } from "../src/run/workflow-host.ts";
import {
  AGENT,
  type AgentScript,
  agentNode,
  createFlowBench,
  edge,
  type FlowDefinition,
} from "./support/flow-bench.ts";

async function start(workflow: FlowDefinition, script?: AgentScript, host?: Partial<WorkflowHost>) {
  const bench = createFlowBench(workflow, script, [], host);
  const runtime = await bench.open("first");
  const run = await soon(runtime.start({ agent: "flow", threadId: "t", input: "" }));
  return { ...bench, runtime, run };
}

/** Runs a workflow to its end: its outcome, how its nodes ended, and what else happened. */
async function play(workflow: FlowDefinition, script?: AgentScript, host?: Partial<WorkflowHost>) {
  const { runtime, run, executed } = await start(workflow, script, host);
  const outcome = await soon(run.outcome());
  const events = await soon(Array.fromAsync(run.events()));
  expect(await soon(runtime.replay(run.id))).toMatchObject({ equal: true });
  return { outcome, executed: executed.map(({ path }) => path), ends: endsOf(events) };
}

function endsOf(events: readonly AgentEvent[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    events.flatMap((event) =>
      event.type === "node_end" ? [[event.data.node_id, event.data.reason ?? event.data.outcome]] : [],
    ),
  );
}

const transform = (id: string, expression: string): WorkflowNode => ({ id, type: "transform", expression });

/** Three branches and their merge. A condition takes those that are named. */
function merging(merge: object, outputs: readonly string[], taken: readonly number[] = [0, 1, 2]): FlowDefinition {
  const ids = outputs.map((_, index) => `b${index}`);
  return {
    nodes: [
      transform("start", "null"),
      ...outputs.map((expression, index) => transform(`b${index}`, expression)),
      { id: "merge", type: "merge", ...merge } as WorkflowNode,
    ],
    edges: ids.flatMap((id, index) => [edge("start", id, String(taken.includes(index))), edge(id, "merge")]),
  };
}

it.each([
  ["concat", { strategy: "concat" }, ["[1]", "2", "[[3]]"], [0, 1, 2], [1, 2, [3]]],
  ["concat without the branch that was not taken", { strategy: "concat" }, ["[1]", "2", "3"], [0, 2], [1, 3]],
  ["first", { strategy: "first" }, ["null", "2", "3"], [0, 1, 2], null],
  ["first, of those that were taken", { strategy: "first" }, ["1", "2", "3"], [1, 2], 2],
  [
    "object_merge, in which later branches win",
    { strategy: "object_merge" },
    ["({ a: 1, b: 1 })", '({ b: 2, ["__proto__"]: 7 })', "({ c: 3 })"],
    [0, 1, 2],
    JSON.parse('{"a":1,"b":2,"__proto__":7,"c":3}'),
  ],
  ["custom", { strategy: "custom", merge_fn: "branches.map((n) => n * 2)" }, ["1", "2", "3"], [0, 2], [2, 6]],
])("merges its branches: %s", async (_, merge, outputs, taken, expected) => {
  const { outcome } = await play(merging(merge, outputs, taken));
  expect(outcome).toMatchObject({ status: "done", text: JSON.stringify(expected) });
});

it("a merge of objects fails where a branch is none, and names what it got", async () => {
  const { outcome } = await play(merging({ strategy: "object_merge" }, ["({})", "[1]", "({})"]));
  expect(outcome).toMatchObject({ status: "failed", code: "validation", error: expect.stringContaining("gave [1]") });
});

it("a merge whose function fails is a sandbox_error", async () => {
  const { outcome } = await play(merging({ strategy: "custom", merge_fn: "branches.none.map" }, ["1", "2", "3"]));
  expect(outcome).toMatchObject({ status: "failed", code: "sandbox_error" });
});

it("a merge all of whose branches are skipped is skipped too, and so is what follows", async () => {
  const flow = merging({ strategy: "concat" }, ["1", "2", "3"], []);
  const { outcome, ends } = await play({
    nodes: [...flow.nodes, { id: "out", type: "output" }],
    edges: [...(flow.edges ?? []), edge("merge", "out")],
  });
  expect(outcome).toMatchObject({ status: "done" });
  expect(ends).toEqual({
    start: "completed",
    b0: "branch_not_taken",
    b1: "branch_not_taken",
    b2: "branch_not_taken",
    merge: "upstream_unreachable",
    out: "upstream_unreachable",
  });
});

const choosing = (expression: string, more: object = {}): FlowDefinition => ({
  nodes: [
    { id: "check", type: "condition", expression, branches: [{ when: 1, to: "one" }], ...more } as WorkflowNode,
    transform("one", "'one'"),
    transform("other", "'other'"),
    transform("after", "'after ' + (run.outputs.one ?? run.outputs.other)"),
  ],
  edges: [edge("one", "after"), edge("other", "after")],
});

it("a condition compares strictly, and tells skipped nodes why", async () => {
  const other = await play(choosing("'1'", { default: "other" }));
  expect(other.outcome).toMatchObject({ status: "done", text: "after other" });
  expect(other.ends).toMatchObject({ one: "branch_not_taken", other: "completed", after: "completed" });
  const one = await play(choosing("1", { default: "other" }));
  expect(one.ends).toMatchObject({ one: "completed", other: "branch_not_taken", after: "completed" });
});

it("a condition that no branch fits fails, and says what it got", async () => {
  const { outcome } = await play(choosing("'1'"));
  expect(outcome).toMatchObject({
    status: "failed",
    code: "validation",
    error: expect.stringMatching(/gave "1", and no branch fits \(1\)/),
  });
});

it("a loop ends at max_iterations, and gives its last output; one that never begins gives null", async () => {
  const loop = (expression: string, max_iterations: number): FlowDefinition => ({
    nodes: [
      {
        id: "loop",
        type: "loop",
        while: expression,
        max_iterations,
        body: { nodes: [transform("step", "(last ?? 0) + 10 + iteration")] },
      },
      { id: "out", type: "output" },
    ],
    edges: [edge("loop", "out")],
  });
  expect((await play(loop("true", 3))).outcome).toMatchObject({ status: "done", text: "33" });
  expect((await play(loop("iteration < 2", 9))).outcome).toMatchObject({ status: "done", text: "21" });
  expect((await play(loop("false", 3))).outcome).toMatchObject({ status: "done", text: "null" });
  expect((await play(loop("last.missing", 3))).outcome).toMatchObject({ status: "failed", code: "sandbox_error" });
});

const fanOut = (more: object = {}): FlowDefinition => ({
  agents: [AGENT],
  nodes: [
    {
      id: "each",
      type: "fan_out",
      over: "[0, 1, 2, 3]",
      max_parallel: 1,
      body: { nodes: [agentNode("work")] },
      ...more,
    } as WorkflowNode,
    agentNode("after"),
  ],
  edges: [edge("each", "after")],
});

const failSecond: AgentScript = (path) =>
  path === "each[1].work"
    ? { kind: "failed", error: { code: "tool_failed", message: "It broke.", retryable: true } }
    : path;

it("a fan-out ends with the first item that fails, and begins no other", async () => {
  const { outcome, executed, ends } = await play(fanOut(), failSecond);
  expect(outcome).toMatchObject({ status: "failed", code: "tool_failed", error: "It broke." });
  expect(executed).toEqual(["each[0].work", "each[1].work"]);
  expect(ends).toMatchObject({ "each[0].work": "completed", "each[1].work": "failed", each: "failed" });
  expect(ends).not.toHaveProperty("after");
});

it("a fan-out that collects has the error in the place of the item", async () => {
  const { outcome, executed } = await play({ ...fanOut({ on_error: "collect" }), edges: [] }, failSecond);
  expect(outcome.status).toBe("done");
  const outputs = JSON.parse(outcome.status === "done" ? outcome.text : "null");
  const error = { code: "tool_failed", message: "It broke." };
  expect(outputs.each).toEqual(["each[0].work", { error }, "each[2].work", "each[3].work"]);
  expect(executed).toHaveLength(5);
});

it("a fan-out over no list fails", async () => {
  const { outcome } = await play(fanOut({ over: "({})" }));
  expect(outcome).toMatchObject({ status: "failed", code: "validation" });
});

/** Runs a workflow until it waits, and answers its one question. */
async function decide(workflow: FlowDefinition, decision: Parameters<Decisions["decide"]>[1]) {
  const bench = await start(workflow);
  expect(await soon(bench.run.outcome())).toMatchObject({ status: "waiting" });
  const [question] = await bench.runtime.decisions.list({ threadId: "t" });
  await bench.runtime.decisions.decide(question?.id ?? "", decision);
  const outcome = await soon((await bench.runtime.run(bench.run.id)).outcome());
  expect(await soon(bench.runtime.replay(bench.run.id))).toMatchObject({ equal: true });
  return { outcome, question };
}

it("a review gate asks its assignee, and what was changed is its payload", async () => {
  const { outcome, question } = await decide(
    {
      inputs: [{ name: "draft", type: "string", default: "Tea" }],
      nodes: [
        {
          id: "review",
          type: "human_gate",
          gate_type: "review",
          assignee: "editors",
          message_template: "Is {{ inputs.draft }} fine?",
        },
      ],
    },
    { action: "supply", result: { text: "Green tea" } },
  );
  expect(question).toMatchObject({
    ticket: { suspension: { action: "gate:review", message: "Is Tea fine?", parameters: { assignee: "editors" } } },
  });
  expect(JSON.parse(outcome.status === "done" ? outcome.text : "{}")).toMatchObject({
    decision: "approved",
    payload: { text: "Green tea" },
  });
});

it("an event that does not come in time fails the run, and nothing else waits", async () => {
  const { env, runtime, run } = await start({
    nodes: [{ id: "order", type: "wait", event: "paid", timeout_ms: 60_000 }, transform("after", "1")],
    edges: [edge("order", "after")],
  });
  expect(await soon(run.outcome())).toMatchObject({ status: "waiting" });
  await env.advance(61_000);
  expect(await soon((await runtime.run(run.id)).outcome())).toMatchObject({
    status: "failed",
    code: "run_timeout",
    error: expect.stringContaining("event did not come"),
  });
  expect(await runtime.decisions.list({ threadId: "t" })).toEqual([]);
  expect(await soon(runtime.replay(run.id))).toMatchObject({ equal: true });
});

it("a budget that is denied fails the run", async () => {
  const over = { code: "budget_exceeded", message: "Spent.", retryable: false } as const;
  const bench = await start(
    {
      agents: [AGENT],
      budget: { max_cost_microcents: 5, on_exceed: "pause_for_approval" },
      nodes: [agentNode("dear"), agentNode("after")],
      edges: [edge("dear", "after")],
    },
    () => ({ kind: "failed", error: over }),
  );
  expect(await soon(bench.run.outcome())).toMatchObject({ status: "waiting" });
  const [question] = await bench.runtime.decisions.list({ threadId: "t" });
  await bench.runtime.decisions.decide(question?.id ?? "", { action: "deny", reason: "Too dear." });
  expect(await soon((await bench.runtime.run(bench.run.id)).outcome())).toMatchObject({
    status: "failed",
    code: "budget_exceeded",
    error: expect.stringContaining("Too dear."),
  });
  expect(bench.executed).toEqual([{ path: "dear", attempt: 1 }]);
  expect(await soon(bench.runtime.replay(bench.run.id))).toMatchObject({ equal: true });
});

it("an output that nothing leads to is null", async () => {
  const { outcome } = await play({ nodes: [{ id: "out", type: "output" }] });
  expect(outcome).toMatchObject({ status: "done", text: "null" });
});

const SAVING: FlowDefinition = {
  nodes: [transform("text", "'words'"), { id: "out", type: "output", save_to: "{{ run.id }}.txt", retry: { max: 2 } }],
  edges: [edge("text", "out")],
};

it("an output that cannot be saved is tried again, and then fails the run", async () => {
  const { outcome } = await play(
    { ...SAVING, nodes: SAVING.nodes.map((node) => ({ ...node, retry: { max: 1 } })) },
    undefined,
    {
      saveFile: () => Promise.reject(new Error("The disk is full.")),
    },
  );
  expect(outcome).toMatchObject({
    status: "failed",
    code: "tool_failed",
    error: expect.stringContaining("The disk is full."),
  });
  const saved: string[] = [];
  let asked = 0;
  const { env, runtime, run } = await start(SAVING, undefined, {
    saveFile: async (path, content) => {
      asked += 1;
      if (asked === 1) throw new Error("Busy.");
      saved.push(path, content);
    },
  });
  await until(async () => {
    await env.advance(1_000);
    return (await run.record()).status === "done";
  });
  expect(saved).toEqual([`${run.id}.txt`, "words"]);
  expect(await soon(runtime.replay(run.id))).toMatchObject({ equal: true });
});

it("an output that is to be saved fails where the host writes no files", async () => {
  expect((await play(SAVING)).outcome).toMatchObject({ status: "failed", code: "tool_unavailable" });
});

it("a run whose node waits long for its rate limit gives its claim back, and continues in another process", async () => {
  const node = { ...agentNode("call"), rate_limit: { limit: 1, period_ms: 60_000 } };
  const { env, store, runtime, run, executed, open } = await start({ agents: [AGENT], nodes: [node] });
  expect(await soon(run.outcome())).toMatchObject({ status: "done" });
  const second = await soon(runtime.start({ agent: "flow", threadId: "t2", input: "" }));
  const statusOf = async () => (await store.forTenant("default").loadRun(second.id))?.status;
  await until(async () => (await statusOf()) === "waiting");
  expect(executed).toHaveLength(1);
  expect(await runtime.decisions.list({ threadId: "t2" })).toEqual([]);
  await runtime.close();
  const other = await open("second");
  await env.advance(61_000);
  await until(async () => (await statusOf()) === "done");
  expect(executed).toHaveLength(2);
  const events = await soon(Array.fromAsync((await other.run(second.id)).events()));
  expect(events.filter(({ type }) => type === "node_start")).toHaveLength(1);
  expect(await soon(other.replay(second.id))).toMatchObject({ equal: true });
});
