import { scriptedModel } from "@reprise/models";
import { handoff } from "@reprise/plugins/handoff";
import { type MetricsSink, observability } from "@reprise/plugins/observability";
import { createRuntime, defineAgent, defineTool, type Runtime } from "@reprise/runtime";
import { createMemoryBlobStore, createMemoryStore } from "@reprise/stores/memory";
import { createFakeEnv } from "@reprise/testkit";
import { expect, it } from "vitest";
import { openAgent } from "./support/open-agent.ts";

const read = defineTool({ id: "read", description: "Reads.", class: "read_only", execute: () => "text" });
const remove = defineTool({ id: "remove", description: "Removes.", needsApproval: true, execute: () => "gone" });

/** A sink that keeps what it is told, and the plugin with it. */
function sinked() {
  const told: { readonly of: string; readonly span: Record<string, unknown> }[] = [];
  const take = (of: string) => (span: object) => void told.push({ of, span: { ...span } });
  const sink: Required<MetricsSink> = {
    onInference: take("inference"),
    onTool: take("tool"),
    onSuspension: take("suspension"),
    onDelegation: take("delegation"),
    onHandoff: take("handoff"),
    onRunEnd: take("run end"),
  };
  return { plugin: observability({ sink }), told };
}

it("tells a sink of inferences, tools and the sums of the run, and needs no OpenTelemetry for it", async () => {
  const { plugin, told } = sinked();
  const usage = { promptTokens: 12, completionTokens: 3 };
  const { run, verify } = await openAgent({
    plugins: [plugin],
    tools: [read],
    script: [
      [{ call: "read" }, { usage }],
      [{ text: "done" }, { usage }],
    ],
  });
  const outcome = await run();
  const owner = { runId: outcome.run?.run_id, threadId: "t1", agentId: "agent", tenant: "default" };
  expect(told).toMatchObject([
    {
      of: "inference",
      span: { ...owner, model: "scripted", provider: "scripted", inputTokens: 12, stopReason: "tool_use" },
    },
    { of: "tool", span: { ...owner, name: "read", outcome: "succeeded", isExecuted: true } },
    { of: "inference", span: { outputTokens: 3, stopReason: "end_turn" } },
    {
      of: "run end",
      span: {
        ...owner,
        termination: "natural",
        inferences: 2,
        toolCalls: 1,
        inputTokens: 24,
        outputTokens: 6,
        totalTokens: 30,
        models: { scripted: { count: 2, errors: 0, inputTokens: 24, outputTokens: 6 } },
        tools: { read: { count: 1, errors: 0 } },
      },
    },
  ]);
  for (const { span } of told) expect(Number(span.durationMs)).toBeGreaterThanOrEqual(0);
  const before = told.length;
  expect(await verify(outcome)).toMatchObject({ equal: true });
  expect(told).toHaveLength(before);
});

it("tells a sink how long a call waited for its decision, and counts the call once", async () => {
  const { plugin, told } = sinked();
  const { run, runtime, env, verify } = await openAgent({
    plugins: [plugin],
    tools: [remove],
    script: [[{ call: "remove" }], "done"],
  });
  const outcome = await run();
  await env.advance(5_000);
  const [call] = await runtime.decisions.list();
  await runtime.decisions.decide(call?.id ?? "", { action: "approve" });
  const handle = await runtime.run(outcome.run?.run_id ?? "");
  await handle.outcome();
  expect(told.map(({ of, span }) => [of, span.outcome ?? span.decision ?? span.termination])).toEqual([
    ["inference", undefined],
    ["tool", "suspended"],
    ["run end", "input_required"],
    ["suspension", "resume"],
    ["tool", "succeeded"],
    ["inference", undefined],
    ["run end", "natural"],
  ]);
  const waited = told.find(({ of }) => of === "suspension");
  expect(waited?.span).toMatchObject({ name: "remove", durationMs: 5_000, action: "approval" });
  const sums = told.filter(({ of }) => of === "run end").map(({ span }) => span.toolCalls);
  expect(sums).toEqual([0, 1]);
  expect(await verify(outcome)).toMatchObject({ equal: true });
});

it("tells a sink of runs that worked for another one", async () => {
  const { plugin, told } = sinked();
  const env = createFakeEnv();
  const delegate = defineTool({
    id: "delegate",
    description: "Delegates.",
    recursive: true,
    execute: async (_, { identity: { callId, threadId } }) => {
      await runtime.runToCompletion({ agent: "helper", input: "go", parentCallId: callId, parentThreadId: threadId });
      return "done";
    },
  });
  const chief = scriptedModel([[{ call: "delegate" }], "done"]);
  const runtime: Runtime = await createRuntime({
    agents: [
      defineAgent({ id: "chief", model: chief, tools: [delegate], plugins: [plugin] }),
      defineAgent({ id: "helper", model: scriptedModel(() => "helped"), plugins: [plugin] }),
    ],
    env,
    store: createMemoryStore({ clock: env.clock }),
    blobs: createMemoryBlobStore(env),
  });
  const outcome = await runtime.runToCompletion({ agent: "chief", input: "go" });
  const parentRunId = outcome.run?.run_id;
  expect(told.filter(({ of }) => of === "delegation")).toMatchObject([
    { span: { agentId: "helper", parentRunId, parentCallId: `${parentRunId}-s1-c0`, termination: "natural" } },
  ]);
  await runtime.close();
});

it("tells a sink of a handoff, and of the work of each agent by itself", async () => {
  const { plugin, told } = sinked();
  const env = createFakeEnv();
  const hand = scriptedModel([[{ call: "agent_handoff", arguments: { agent_id: "expert" } }]], "small");
  const runtime = await createRuntime({
    agents: [
      defineAgent({ id: "clerk", model: hand, plugins: [plugin, handoff()] }),
      defineAgent({ id: "expert", model: scriptedModel(["an answer"], "large"), plugins: [plugin] }),
    ],
    env,
    store: createMemoryStore({ clock: env.clock }),
    blobs: createMemoryBlobStore(env),
  });
  await runtime.runToCompletion({ agent: "clerk", threadId: "t1", input: "go" });
  await runtime.close();
  expect(told).toMatchObject([
    { of: "inference", span: { agentId: "clerk", model: "small" } },
    { of: "tool", span: { agentId: "clerk", name: "agent_handoff" } },
    { of: "handoff", span: { agentId: "clerk", to: "expert", number: 1 } },
    { of: "run end", span: { agentId: "clerk", termination: "handed_off", inferences: 1, toolCalls: 1 } },
    { of: "inference", span: { agentId: "expert", model: "large" } },
    { of: "run end", span: { agentId: "expert", termination: "natural", inferences: 1, toolCalls: 0 } },
  ]);
});
