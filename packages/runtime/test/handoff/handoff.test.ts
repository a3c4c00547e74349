import {
  addSessionContext,
  handOff,
  type Message,
  type Plugin,
  type Tool,
  textOf,
  toolEffect,
} from "@reprise/contracts";
import { type Script, scriptedModel } from "@reprise/models";
import { type AgentDefinition, createRuntime, defineAgent, definePlugin, defineTool } from "@reprise/runtime";
import { defineState } from "@reprise/state";
import { describe, expect, it, onTestFinished } from "vitest";
import { createWorld } from "../support/open-runtime.ts";
import { collect, soon, until } from "../support/wait.ts";

const send = defineTool({
  id: "send",
  description: "Hands the run to another agent.",
  inputSchema: {
    type: "object",
    properties: { to: { type: "string" }, message: { type: "string" }, max: { type: "number" } },
    required: ["to"],
  },
  execute: ({ to, message, max }: { to: string; message?: string; max?: number }) =>
    toolEffect("sent", [handOff(to, { ...(message && { message }), ...(max !== undefined && { maxHandoffs: max }) })]),
});

const SEND = (to: string, more: object = {}) => ({ call: "send", arguments: { to, ...more } });

interface Peer extends Partial<Omit<AgentDefinition, "id" | "model" | "tools">> {
  readonly script: Script;
  readonly tools?: readonly Tool[];
}

async function openPeers(peers: { readonly [id: string]: Peer }, world = createWorld()) {
  const models = Object.fromEntries(
    Object.entries(peers).map(([id, { script }]) => [id, scriptedModel(script, `model of ${id}`)]),
  );
  const agents = Object.entries(peers).map(([id, { script: _, tools = [], ...rest }]) =>
    defineAgent({ ...rest, id, model: models[id] ?? "", tools: [send, ...tools] }),
  );
  const runtime = await createRuntime({ ...world, agents, limits: { closeTimeoutMs: 1 } });
  onTestFinished(() => void runtime.close().catch(() => undefined));
  const asked = (id: string) => models[id]?.requests ?? [];
  return { ...world, runtime, asked };
}

it("changes prompt, model and tools at the next step, and shares the thread", async () => {
  const look = defineTool({ id: "look", description: "Looks.", execute: () => "a cat" });
  const { runtime, asked } = await openPeers({
    math: { instructions: "You are math.", script: [[SEND("code", { message: "In Rust." })]] },
    code: { instructions: "You are code.", tools: [look], script: [[{ call: "look" }], "fn sum()"] },
  });
  const run = await runtime.start({ agent: "math", threadId: "t1", input: "Sum of 1 to n?" });
  expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "fn sum()" });

  const [first] = asked("code");
  expect(first?.system).toBe("You are code.");
  expect(first?.tools.map(({ id }) => id)).toEqual(["send", "look"]);
  expect(first?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user"]);
  expect(textOf(first?.messages.at(-1) ?? { content: "" })).toBe(
    '<task source="agent:math">\nAgent math handed this conversation over to you, code.\n\nIn Rust.\n</task>',
  );
  expect(asked("math")).toHaveLength(1);
  const events = await collect(run);
  expect(events.filter(({ type }) => type === "agent_handoff").map(({ data }) => data)).toEqual([
    { from: "math", to: "code", number: 1 },
  ]);
  expect(events.filter(({ type }) => type === "run_start" || type === "run_finish")).toHaveLength(2);
  expect(await run.record()).toMatchObject({ agent_id: "math", agent_path: ["math", "code"], steps: 3 });
  expect(await run.record()).not.toHaveProperty("handoff");
  for (const mode of ["verify", "reexecute"] as const) {
    expect(await soon(runtime.replay(run.id, { mode }))).toMatchObject({ equal: true });
  }
});

it("deactivates the plugins of one agent and activates those of the other, hooks, states and tools", async () => {
  const said: string[] = [];
  const noteOf = (id: string) => defineState({ path: `notes.${id}`, initial: () => 1, actions: {} });
  const pluginOf = (id: string): Plugin =>
    definePlugin({
      id,
      states: [noteOf(id)],
      tools: [defineTool({ id: `${id}_tool`, description: "Does.", execute: () => "done" })],
      onActivate: ({ agentId }) => void said.push(`${id} activated by ${agentId}`),
      onDeactivate: ({ agentId }) => void said.push(`${id} deactivated by ${agentId}`),
      hooks: {
        runStart: ({ agentId }) => void said.push(`${id} starts in ${agentId}`),
        beforeInference: ({ agentId, state }) => [addSessionContext(`${id} in ${agentId}: ${state.get(noteOf(id))}`)],
        runEnd: ({ agentId }) => void said.push(`${id} ends in ${agentId}`),
      },
    });
  const shared = pluginOf("shared");
  const { runtime, asked } = await openPeers({
    math: { plugins: [shared, pluginOf("slide_rule")], script: [[SEND("code")]] },
    code: { plugins: [shared, pluginOf("compiler")], script: ["compiled"] },
  });
  const run = await runtime.start({ agent: "math", threadId: "t1", input: "go" });
  expect(await soon(run.outcome())).toMatchObject({ text: "compiled" });
  await until(() => said.length === 14);
  expect(said).toEqual([
    "shared activated by math",
    "slide_rule activated by math",
    "shared starts in math",
    "slide_rule starts in math",
    "slide_rule deactivated by math",
    "shared deactivated by math",
    "shared activated by code",
    "compiler activated by code",
    "shared starts in code",
    "compiler starts in code",
    "shared ends in code",
    "compiler ends in code",
    "compiler deactivated by code",
    "shared deactivated by code",
  ]);
  expect(asked("code")[0]?.tools.map(({ id }) => id)).toEqual(["send", "shared_tool", "compiler_tool"]);
  expect(textOf(asked("code")[0]?.messages.at(-1) ?? { content: "" })).toContain("compiler in code: 1");
  expect(await soon(runtime.replay(run.id))).toMatchObject({ equal: true });
  expect(await soon(runtime.replay(run.id, { mode: "reexecute" }))).toMatchObject({ equal: true });
});

describe("a handoff is refused, and the model reads why", () => {
  const refusalsIn = (request: { readonly messages: readonly Message[] } | undefined) =>
    (request?.messages ?? [])
      .filter(({ role, metadata }) => role === "tool" && metadata?.status === "error")
      .map((message) => JSON.parse(textOf(message)).error);

  it("when no agent has the id, or the lists of the agent do not allow it", async () => {
    const { runtime, asked } = await openPeers({
      math: { allowedAgents: ["code"], script: [[SEND("coder")], [SEND("secret")], "enough"] },
      code: { script: ["never"] },
      secret: { script: ["never"] },
    });
    expect(await soon(runtime.runToCompletion({ agent: "math", input: "go" }))).toMatchObject({ text: "enough" });
    const refusals = refusalsIn(asked("math").at(-1));
    expect(refusals).toMatchObject([{ code: "unknown_agent" }, { code: "unknown_agent" }]);
    expect(refusals[0].message).toBe('The run cannot be handed to agent "coder". Known: code. Did you mean "code"?');
  });

  it("when it is active already, when another handoff was asked for first, and when the policy excludes it", async () => {
    const { runtime, asked } = await openPeers({
      math: { script: [[SEND("math")], [SEND("code"), SEND("law")]] },
      code: { script: ["done"] },
      law: { script: ["never"] },
    });
    const run = await runtime.start({ agent: "math", input: "go" });
    expect(await soon(run.outcome())).toMatchObject({ text: "done" });
    expect(refusalsIn(asked("code")[0])).toMatchObject([
      { code: "invalid_arguments", message: "Agent math is the active agent already." },
      { code: "denied", message: "Agent code is about to take over." },
    ]);
    expect(await run.record()).toMatchObject({ agent_path: ["math", "code"] });

    const barred = await runtime.start({ agent: "math", input: "go", policy: { excluded_agents: ["code"] } } as never);
    await soon(barred.outcome());
    expect(await barred.record()).toMatchObject({ agent_path: ["math", "law"] });
  });

  it("when the same handoff was made before: agents cannot send a run back and forth", async () => {
    const { runtime, asked } = await openPeers({
      math: { script: [[SEND("code")], [SEND("code")], "I give up."] },
      code: { script: [[SEND("math")]] },
    });
    const run = await runtime.start({ agent: "math", input: "go" });
    expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "I give up." });
    expect(refusalsIn(asked("math").at(-1)).at(-1)).toEqual({
      code: "handoff_loop",
      message: "Agent math handed the run to code before: math → code → math. Finish the work, or say what is missing.",
    });
    expect(await soon(runtime.replay(run.id))).toMatchObject({ equal: true });
  });

  it("when the run has had as many handoffs as are allowed", async () => {
    const { runtime, asked } = await openPeers({
      a: { script: [[SEND("b", { max: 2 })]] },
      b: { script: [[SEND("c", { max: 2 })]] },
      c: { script: [[SEND("d", { max: 2 })], "Here it ends."] },
      d: { script: ["never"] },
    });
    const run = await runtime.start({ agent: "a", input: "go" });
    expect(await soon(run.outcome())).toMatchObject({ text: "Here it ends." });
    expect(refusalsIn(asked("c").at(-1)).at(-1)).toMatchObject({ code: "handoff_limit" });
    expect(await run.record()).toMatchObject({ agent_path: ["a", "b", "c"] });
  });
});

it("waits for an approval of the same round, whose call still has the tools of the agent that asked", async () => {
  const paid: number[] = [];
  const pay = defineTool({
    id: "pay",
    description: "Pays.",
    needsApproval: true,
    execute: () => {
      paid.push(1);
      return "paid";
    },
  });
  const { runtime, asked } = await openPeers({
    math: { tools: [pay], partialSuspension: "continue", script: [[SEND("code"), { call: "pay" }]] },
    code: { script: ["done"] },
  });
  const run = await runtime.start({ agent: "math", threadId: "t1", input: "go" });
  expect(await soon(run.outcome())).toMatchObject({ status: "waiting", open: [{ tool_id: "pay" }] });
  expect(await run.record()).toMatchObject({ handoff: { agent_id: "code" } });
  expect(asked("code")).toHaveLength(0);
  const [open] = await runtime.decisions.list({ threadId: "t1" });
  await runtime.decisions.decide(open?.id ?? "", { action: "approve" });
  expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "done" });
  expect(paid).toEqual([1]);
  expect(asked("math")).toHaveLength(1);
  expect(await soon(runtime.replay(run.id))).toMatchObject({ equal: true });
});

it("can itself need an approval, and the agent that took over can ask for one", async () => {
  const ask = defineTool({ id: "ask", description: "Asks.", needsApproval: true, execute: () => "asked" });
  const gated = definePlugin({
    id: "gate",
    hooks: {
      beforeToolExecute: ({ call, decision }) =>
        call.toolId === "send" && decision === undefined
          ? [{ type: "suspend", request: { action: "confirm", resume_mode: "replay_tool_call" } }]
          : [],
    },
  });
  const { runtime } = await openPeers({
    math: { plugins: [gated], script: [[SEND("code")]] },
    code: { tools: [ask], script: [[{ call: "ask" }], "done"] },
  });
  const run = await runtime.start({ agent: "math", threadId: "t1", input: "go" });
  for (const tool of ["send", "ask"]) {
    expect(await soon(run.outcome())).toMatchObject({ status: "waiting", open: [{ tool_id: tool }] });
    const [open] = await runtime.decisions.list({ threadId: "t1" });
    await runtime.decisions.decide(open?.id ?? "", { action: "approve" });
  }
  expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "done" });
  expect(await soon(runtime.replay(run.id))).toMatchObject({ equal: true });
});

it("lets a hook hand a run over before its first step, and after an answer", async () => {
  const router = definePlugin({ id: "router", hooks: { runStart: () => [handOff("b")] } });
  const reviewed = definePlugin({ id: "reviewed", hooks: { stepEnd: () => [handOff("c", { message: "Check it." })] } });
  const { runtime, asked } = await openPeers({
    a: { plugins: [router], script: ["never"] },
    b: { plugins: [reviewed], script: ["a draft"] },
    c: { script: ["checked"] },
  });
  const run = await runtime.start({ agent: "a", input: "go" });
  expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "checked" });
  expect(asked("a")).toHaveLength(0);
  expect(asked("c")[0]?.messages.map(({ role }) => role)).toEqual(["user", "user", "assistant", "user"]);
  expect(await run.record()).toMatchObject({ agent_path: ["a", "b", "c"] });
  expect(await soon(runtime.replay(run.id))).toMatchObject({ equal: true });
});

it("fails a run that hooks send back and forth", async () => {
  const to = (agentId: string) => definePlugin({ id: `to_${agentId}`, hooks: { runStart: () => [handOff(agentId)] } });
  const { runtime } = await openPeers({
    a: { plugins: [to("b")], script: ["never"] },
    b: { plugins: [to("a")], script: ["never"] },
  });
  const run = await runtime.start({ agent: "a", input: "go" });
  expect(await soon(run.outcome())).toMatchObject({ status: "failed", code: "HANDOFF_REFUSED" });
  expect(await run.record()).toMatchObject({ agent_path: ["a", "b", "a"] });
  expect(await soon(runtime.replay(run.id))).toMatchObject({ equal: true });
});

it("counts the steps of the whole run against the stop policies of the active agent", async () => {
  const { runtime } = await openPeers({
    a: { maxRounds: 5, script: [[SEND("b")]] },
    b: { maxRounds: 2, tools: [], script: [[SEND("nobody")], "never"] },
  });
  const outcome = await soon(runtime.runToCompletion({ agent: "a", input: "go" }));
  expect(outcome).toMatchObject({ termination: { type: "stopped", value: { code: "max_rounds_reached" } } });
});

it("drops a handoff that was asked for when a stop policy ends the run first", async () => {
  const { runtime } = await openPeers({ a: { maxRounds: 1, script: [[SEND("b")]] }, b: { script: ["never"] } });
  const run = await runtime.start({ agent: "a", input: "go" });
  expect(await soon(run.outcome())).toMatchObject({ status: "done" });
  const record = await run.record();
  expect([record.handoff, record.agent_path]).toEqual([undefined, undefined]);
});

it("takes a message in that is sent to the first agent while another one works", async () => {
  let reached = (): void => undefined;
  const gate = Promise.withResolvers<string>();
  const wait = defineTool({
    id: "wait",
    description: "Waits.",
    execute: () => {
      reached();
      return gate.promise;
    },
  });
  const arrived = new Promise<void>((resolve) => {
    reached = resolve;
  });
  const { runtime, asked } = await openPeers({
    a: { script: [[SEND("b")]] },
    b: { tools: [wait], script: [[{ call: "wait" }], "done"] },
  });
  const run = await runtime.start({ agent: "a", threadId: "t1", input: "go" });
  await soon(arrived);
  await runtime.start({ agent: "a", threadId: "t1", input: "Hurry.", whenBusy: "steer" });
  gate.resolve("waited");
  expect(await soon(run.outcome())).toMatchObject({ status: "done" });
  expect(JSON.stringify(asked("b").at(-1)?.messages)).toContain("Hurry.");
});

it("reruns a step after the handoff with the agent that took it", async () => {
  const { runtime, asked } = await openPeers({
    a: { script: [[SEND("b")], "never"] },
    b: { script: () => "from b" },
  });
  const run = await runtime.start({ agent: "a", threadId: "t1", input: "go" });
  await soon(run.outcome());
  const rerun = await runtime.rerunFrom(run.id, 2);
  expect(await soon(rerun.run.outcome())).toMatchObject({ status: "done", text: "from b" });
  expect(asked("a")).toHaveLength(1);
});
