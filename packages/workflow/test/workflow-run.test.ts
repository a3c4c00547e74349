import { expect, it } from "vitest";
import {
  AGENT,
  type AgentScript,
  agentNode,
  createFlowBench,
  edge,
  type FlowDefinition,
} from "./support/flow-bench.ts";

async function open(workflow: FlowDefinition, script?: AgentScript) {
  const bench = createFlowBench(workflow, script);
  return { ...bench, runtime: await bench.open("first") };
}

it("runs nodes in the order of their edges, and the run verifies by replay", async () => {
  const bench = await open({
    agents: [AGENT],
    inputs: [{ name: "topic", type: "string", required: true }],
    context: { greeting: "Hello {{ inputs.topic }}" },
    nodes: [
      { id: "in", type: "input" },
      agentNode("one"),
      { id: "two", type: "transform", expression: "run.outputs.one + ' ' + ctx.greeting" },
      { id: "out", type: "output" },
    ],
    edges: [edge("in", "one"), edge("one", "two"), edge("two", "out")],
  });
  const run = await bench.runtime.start({ agent: "flow", threadId: "t", input: JSON.stringify({ topic: "cats" }) });
  const outcome = await run.outcome();
  expect(outcome).toMatchObject({ status: "done", text: "one done Hello cats" });
  const types: string[] = [];
  for await (const event of (await bench.runtime.run(run.id)).events()) types.push(event.type);
  expect(types).toEqual([
    "run_start",
    "workflow_start",
    "node_start",
    "node_end",
    "node_start",
    "node_delta",
    "node_delta",
    "node_cost",
    "node_start",
    "node_end",
    "node_end",
    "node_start",
    "node_end",
    "step_start",
    "text_delta",
    "step_end",
    "run_finish",
  ]);
  expect(await bench.runtime.replay(run.id)).toMatchObject({ equal: true });
});

it("runs branches beside each other and merges them", async () => {
  const bench = await open({
    agents: [AGENT],
    nodes: [
      { id: "fork", type: "parallel", parallel_of: ["x", "y", "z"] },
      agentNode("x"),
      agentNode("y"),
      agentNode("z"),
      { id: "join", type: "merge", strategy: "concat" },
    ],
    edges: [edge("x", "join"), edge("y", "join"), edge("z", "join")],
  });
  const run = await bench.runtime.start({ agent: "flow", threadId: "t", input: "" });
  expect(await run.outcome()).toMatchObject({ status: "done", text: '["x done","y done","z done"]' });
  expect(await bench.runtime.replay(run.id)).toMatchObject({ equal: true });
});

it("takes one branch of a condition and skips the other", async () => {
  const bench = await open({
    agents: [AGENT],
    nodes: [
      {
        id: "check",
        type: "condition",
        expression: "1 + 1 === 2",
        branches: [
          { when: true, to: "yes" },
          { when: false, to: "no" },
        ],
      },
      agentNode("yes"),
      agentNode("no"),
      { id: "after", type: "transform", expression: "run.outputs.no ?? 'skipped'" },
      { id: "join", type: "merge", strategy: "concat" },
    ],
    edges: [edge("no", "after"), edge("yes", "join"), edge("after", "join")],
  });
  const run = await bench.runtime.start({ agent: "flow", threadId: "t", input: "" });
  expect(await run.outcome()).toMatchObject({ status: "done", text: '["yes done"]' });
  expect(bench.executed.map(({ path }) => path)).toEqual(["yes"]);
  expect(await bench.runtime.replay(run.id)).toMatchObject({ equal: true });
});

it("waits at a gate without a process, and continues after a decision in another process", async () => {
  const bench = await open({
    agents: [AGENT],
    nodes: [
      agentNode("draft"),
      { id: "gate", type: "human_gate", gate_type: "approval", message_template: "Publish {{ run.outputs.draft }}?" },
      agentNode("publish"),
    ],
    edges: [edge("draft", "gate"), edge("gate", "publish")],
  });
  const run = await bench.runtime.start({ agent: "flow", threadId: "t", input: "" });
  expect(await run.outcome()).toMatchObject({ status: "waiting" });
  await bench.runtime.close();
  const second = await bench.open("second");
  const [question] = await second.decisions.list({ threadId: "t" });
  expect(question).toMatchObject({
    ticket: { suspension: { action: "gate:approval", message: "Publish draft done?" } },
  });
  await second.decisions.decide(question?.id ?? "", { action: "approve" });
  expect(await (await second.run(run.id)).outcome()).toMatchObject({ status: "done", text: "publish done" });
  expect(bench.executed.map(({ path }) => path)).toEqual(["draft", "publish"]);
  expect(await second.replay(run.id)).toMatchObject({ equal: true });
});

it("runs the body of a fan-out for every item, in order, and the body of a loop while it holds", async () => {
  const bench = await open({
    agents: [AGENT],
    inputs: [{ name: "files", type: "json", required: true }],
    nodes: [
      {
        id: "map",
        type: "fan_out",
        over: "inputs.files",
        max_parallel: 2,
        body: {
          nodes: [
            { id: "up", type: "transform", expression: "item.toUpperCase() + index" },
            { id: "twice", type: "transform", expression: "run.outputs.up + run.outputs.up" },
          ],
          edges: [edge("up", "twice")],
        },
      },
      {
        id: "grow",
        type: "loop",
        while: "iteration < 3",
        max_iterations: 10,
        body: { nodes: [{ id: "add", type: "transform", expression: "(last ?? '') + iteration" }] },
      },
      { id: "out", type: "output" },
    ],
    edges: [edge("map", "grow"), edge("map", "out"), edge("grow", "out")],
  });
  const run = await bench.runtime.start({
    agent: "flow",
    threadId: "t",
    input: JSON.stringify({ files: ["a", "b", "c"] }),
  });
  expect(JSON.parse(((await run.outcome()) as { text: string }).text ?? JSON.stringify(await run.outcome()))).toEqual({
    grow: "012",
    map: ["A0A0", "B1B1", "C2C2"],
  });
  expect(await bench.runtime.replay(run.id)).toMatchObject({ equal: true });
});

it("tries a node again, and fails the run when it is given up", async () => {
  const bench = await open(
    { agents: [AGENT], nodes: [{ ...agentNode("flaky"), retry: { max: 3, backoff: "linear", backoff_ms: 10 } }] },
    (_, attempt) =>
      attempt < 3
        ? { kind: "failed", error: { code: "tool_failed", message: "It broke.", retryable: true } }
        : "at last",
  );
  const run = await bench.runtime.start({ agent: "flow", threadId: "t", input: "" });
  const outcome = run.outcome();
  for (let turn = 0; turn < 50; turn += 1) {
    await bench.env.yield();
    await bench.env.advance(10);
  }
  expect(await outcome).toMatchObject({ status: "done", text: "at last" });
  expect(await bench.runtime.replay(run.id)).toMatchObject({ equal: true });
});
