import { SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { scriptedModel } from "@reprise/models";
import { currentTraceparent, currentTracestate, observability } from "@reprise/plugins/observability";
import { createRuntime, defineAgent, defineTool, type Runtime } from "@reprise/runtime";
import { createMemoryBlobStore, createMemoryStore } from "@reprise/stores/memory";
import { createFakeEnv, eventually } from "@reprise/testkit";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { freezeProcess } from "../../runtime/test/support/frozen-env.ts";
import { openAgent } from "./support/open-agent.ts";
import { registerTracing, timeOf, treeOf } from "./support/traced-runs.ts";

const CALLER = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

const read = defineTool({ id: "read", description: "Reads.", class: "read_only", execute: () => "text" });
const remove = defineTool({ id: "remove", description: "Removes.", needsApproval: true, execute: () => "gone" });

/** Two tools that end only when both are at work. */
function readTogether() {
  const both = Promise.withResolvers<void>();
  let begun = 0;
  return defineTool({
    id: "read",
    description: "Reads.",
    class: "read_only",
    execute: async () => {
      begun += 1;
      if (begun === 2) both.resolve();
      await both.promise;
      return "text";
    },
  });
}

describe("the spans of a run", () => {
  it("are one of the activation, with its model calls and tools below, and the run verifies by replay", async () => {
    const tracing = registerTracing();
    const { run, verify } = await openAgent({
      plugins: [observability()],
      tools: [readTogether()],
      script: [[{ call: "read" }, { call: "read" }], "done"],
    });
    const outcome = await run();
    expect(outcome).toMatchObject({ status: "done" });
    expect(treeOf(tracing.spans())).toEqual([
      ["invoke_agent agent", ["chat scripted", "execute_tool read", "execute_tool read", "chat scripted"]],
    ]);
    expect(await verify(outcome)).toMatchObject({ equal: true });
    expect(tracing.spans()).toHaveLength(5);
  });

  it("say what happened in the words of the conventions", async () => {
    const tracing = registerTracing();
    const usage = {
      promptTokens: 12,
      completionTokens: 3,
      cacheReadTokens: 4,
      cacheCreationTokens: 2,
      thinkingTokens: 1,
    };
    const { run } = await openAgent({
      plugins: [observability()],
      tools: [read],
      agent: { chatOptions: { temperature: 0.5, maxTokens: 100, stopSequences: ["END"] } },
      script: [[{ call: "read" }], [{ text: "done" }, { usage }]],
    });
    const outcome = await run();
    const own = {
      "gen_ai.agent.name": "agent",
      "gen_ai.conversation.id": "t1",
      "reprise.run.id": outcome.run?.run_id,
    };
    const [whole, , tool, chat] = tracing.spans();
    expect(whole?.kind).toBe(SpanKind.INTERNAL);
    expect(whole?.attributes).toEqual({
      ...own,
      "gen_ai.operation.name": "invoke_agent",
      "reprise.tenant": "default",
      "reprise.activation": "start",
      "reprise.termination": "natural",
    });
    expect(tool?.kind).toBe(SpanKind.INTERNAL);
    expect(tool?.attributes).toEqual({
      ...own,
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "read",
      "gen_ai.tool.type": "function",
      "gen_ai.tool.description": "Reads.",
      "gen_ai.tool.call.id": `${outcome.run?.run_id}-s1-c0`,
      "reprise.step.id": `${outcome.run?.run_id}-s1`,
      "reprise.tool.outcome": "succeeded",
      "reprise.tool.executed": true,
    });
    expect(chat?.kind).toBe(SpanKind.CLIENT);
    expect(chat?.attributes).toEqual({
      ...own,
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "scripted",
      "gen_ai.request.model": "scripted",
      "gen_ai.response.model": "scripted",
      "gen_ai.request.temperature": 0.5,
      "gen_ai.request.max_tokens": 100,
      "gen_ai.request.stop_sequences": ["END"],
      "gen_ai.response.finish_reasons": ["stop"],
      "gen_ai.response.time_to_first_chunk": 0,
      "gen_ai.usage.input_tokens": 12,
      "gen_ai.usage.output_tokens": 3,
      "gen_ai.usage.cache_read.input_tokens": 4,
      "gen_ai.usage.cache_creation.input_tokens": 2,
      "gen_ai.usage.reasoning.output_tokens": 1,
      "reprise.step.id": `${outcome.run?.run_id}-s2`,
    });
    expect([whole, tool, chat].map((span) => span?.status.code)).toEqual([0, 0, 0]);
  });

  it("have the times of the work itself: parallel calls overlap inside their run", async () => {
    const tracing = registerTracing();
    const { run } = await openAgent({
      plugins: [observability()],
      tools: [readTogether()],
      script: [[{ call: "read" }, { call: "read" }], "done"],
    });
    await run();
    const [whole, first, one, other, last] = tracing.spans().map(({ startTime, endTime }) => ({
      start: timeOf(startTime),
      // The SDK rounds starts down to a millisecond.
      end: Math.floor(timeOf(endTime)),
    }));
    const ends = [one?.end ?? 0, other?.end ?? 0].toSorted((left, right) => left - right);
    const moments = [whole?.start, first?.start, first?.end, one?.start, other?.start, ...ends, last?.start, last?.end];
    const order = [...moments, whole?.end].map(Number);
    expect(order).toEqual(order.toSorted((left, right) => left - right));
  });

  it("are active in the code they are about, which adds its own below", async () => {
    const tracing = registerTracing();
    const seen: (string | undefined)[] = [];
    const look = defineTool({
      id: "look",
      description: "Looks.",
      execute: async () => {
        await Promise.resolve();
        seen.push(currentTraceparent());
        trace.getTracer("application").startSpan("SELECT cats").end();
        return "a cat";
      },
    });
    const script = (_: unknown, turn: number) => {
      seen.push(currentTraceparent());
      return turn === 1 ? [{ call: "look" }] : "done";
    };
    const { run } = await openAgent({ plugins: [observability()], tools: [look], script });
    await run();
    expect(treeOf(tracing.spans())).toEqual([
      ["invoke_agent agent", ["chat scripted", ["execute_tool look", ["SELECT cats"]], "chat scripted"]],
    ]);
    const [, first, tool, , last] = tracing.spans();
    const ids = [first, tool, last].map((span) => span?.spanContext().spanId);
    expect(seen.map((traceparent) => traceparent?.split("-")[2])).toEqual(ids);
  });

  it("tell failures apart: of tools, of arguments, of models and of the run", async () => {
    const tracing = registerTracing();
    const fail = defineTool({
      id: "fail",
      description: "Fails.",
      execute: () => {
        throw new Error("no paper");
      },
    });
    const { run, verify } = await openAgent({
      plugins: [observability()],
      tools: [fail],
      script: [[{ call: "fail" }, { call: "made_up" }], [{ fail: "invalid_request" }]],
    });
    const outcome = await run();
    const failed = tracing.spans().map(({ name, status, attributes }) => [name, status, attributes["error.type"]]);
    const ERROR = SpanStatusCode.ERROR;
    expect(failed).toEqual([
      ["invoke_agent agent", { code: ERROR }, "MODEL_INVALID_REQUEST"],
      ["chat scripted", { code: 0 }, undefined],
      ["execute_tool fail", { code: ERROR, message: "The tool failed (execution_failed)." }, "execution_failed"],
      ["execute_tool made_up", { code: ERROR, message: "The tool failed (tool_not_found)." }, "tool_not_found"],
      ["chat scripted", { code: ERROR, message: "The model failed (invalid_request)." }, "invalid_request"],
    ]);
    expect(tracing.span("execute_tool made_up").attributes).toMatchObject({ "reprise.tool.executed": false });
    expect(await tracing.metric("gen_ai.execute_tool.duration")).toHaveLength(1);
    expect(await verify(outcome)).toMatchObject({ equal: true });
  });
});

describe("attempts of a model", () => {
  it("that failed are spans below the turn, with their own times, models and errors", async () => {
    const tracing = registerTracing();
    const env = createFakeEnv();
    const agent = defineAgent({
      id: "agent",
      model: "near/one",
      fallbackModels: ["far/two"],
      plugins: [observability()],
    });
    const runtime = await createRuntime({
      agents: [agent],
      env,
      store: createMemoryStore({ clock: env.clock }),
      blobs: createMemoryBlobStore(env),
      providers: [
        { id: "near", model: () => scriptedModel(() => [{ fail: "overloaded" }]) },
        {
          id: "far",
          model: () =>
            scriptedModel(() => [{ text: "hi" }, { usage: { promptTokens: 1_000_000, completionTokens: 0 } }]),
        },
      ],
      models: [{ id: "far/two", provider: "far", model: "two", pricing: { inputPerMillion: 3, outputPerMillion: 9 } }],
    });
    const over = runtime.runToCompletion({ agent: "agent", input: "go" });
    for (let turn = 0; turn < 10; turn += 1) await env.advance(1_000);
    expect(await over).toMatchObject({ status: "done", text: "hi" });
    const tree = treeOf(tracing.spans());
    expect(tree).toEqual([["invoke_agent agent", [["chat one", ["chat one", "chat one"]]]]]);
    const isAttempt = ({ attributes }: { readonly attributes: object }) => "reprise.attempt" in attributes;
    const attempts = tracing.spans().filter(isAttempt);
    expect(attempts.map(({ attributes }) => attributes)).toMatchObject([
      { "reprise.attempt": 1, "gen_ai.provider.name": "near", "error.type": "overloaded" },
      { "reprise.attempt": 2, "gen_ai.provider.name": "near", "error.type": "overloaded" },
    ]);
    expect(attempts.map(({ status }) => status.code)).toEqual([SpanStatusCode.ERROR, SpanStatusCode.ERROR]);
    const turn = tracing.spans().find((span) => span.name === "chat one" && !isAttempt(span));
    expect(turn?.attributes).toMatchObject({ "gen_ai.provider.name": "far", "gen_ai.response.model": "two" });
    expect(turn?.attributes["reprise.cost.usd"]).toBe(3);
    expect(await tracing.metric("reprise.inference.cost")).toMatchObject([
      { attributes: { "gen_ai.provider.name": "far", "gen_ai.request.model": "two" }, value: 3 },
    ]);
    await runtime.close();
  });
});

describe("a run that is continued", () => {
  const open = async (world: object, script: readonly string[] | readonly unknown[]): Promise<Runtime> => {
    const agent = defineAgent({
      id: "agent",
      model: scriptedModel(script as never),
      tools: [remove],
      plugins: [observability()],
    });
    const runtime = await createRuntime({ ...(world as ReturnType<typeof createWorld>), agents: [agent] });
    onTestFinished(() => void runtime.close().catch(() => undefined));
    return runtime;
  };

  function createWorld() {
    const env = createFakeEnv();
    return {
      env,
      store: createMemoryStore({ clock: env.clock }),
      blobs: createMemoryBlobStore(env),
      limits: { closeTimeoutMs: 1 },
    };
  }

  it("in another process stays in its trace, and links to what it follows", async () => {
    const tracing = registerTracing();
    const world = createWorld();
    const script = [[{ call: "remove" }], "done"];
    const before = await open(world, script);
    const first = await before.runToCompletion({ agent: "agent", threadId: "t1", input: "go", traceparent: CALLER });
    expect(first.status).toBe("waiting");
    await before.close();
    await world.env.advance(60_000);
    const after = await open(world, script);
    const [call] = await after.decisions.list();
    await after.decisions.decide(call?.id ?? "", { action: "approve" });
    const run = await after.run(first.run?.run_id ?? "");
    expect(await run.outcome()).toMatchObject({ status: "done" });
    await eventually(() => expect(tracing.spans()).toHaveLength(7));

    expect(new Set(tracing.spans().map((span) => span.spanContext().traceId)).size).toBe(1);
    const [started, resumed] = tracing.spans().filter(({ name }) => name === "invoke_agent agent");
    const [suspended, executed] = tracing.spans().filter(({ name }) => name === "execute_tool remove");
    const idOf = (span: typeof started) => span?.spanContext().spanId;
    expect(started?.parentSpanContext?.spanId).toBe(CALLER.split("-")[2]);
    expect(started?.attributes["reprise.termination"]).toBe("input_required");
    expect(resumed?.attributes["reprise.activation"]).toBe("resume");
    expect(resumed?.parentSpanContext?.spanId).toBe(idOf(started));
    expect(resumed?.links.map(({ context }) => context.spanId)).toEqual([idOf(started)]);
    expect(suspended?.attributes).toMatchObject({
      "reprise.tool.outcome": "suspended",
      "reprise.tool.executed": false,
    });
    expect(suspended?.status.code).toBe(0);
    expect(executed?.links.map(({ context }) => context.spanId)).toEqual([idOf(suspended)]);
    expect(executed?.parentSpanContext?.spanId).toBe(idOf(resumed));
    const waited = tracing.span("suspend_tool remove");
    expect(timeOf(waited.endTime) - timeOf(waited.startTime)).toBe(60_000);
    expect(waited.attributes).toMatchObject({ "reprise.suspension.decision": "resume" });
    expect(await after.replay(run.id)).toMatchObject({ equal: true });
    expect(await after.replay(run.id, { mode: "reexecute" })).toMatchObject({ equal: true });
    expect(tracing.spans()).toHaveLength(7);
  });

  it("after its process died in a tool stays in its trace", async () => {
    const tracing = registerTracing();
    const world = createWorld();
    let executions = 0;
    const slow = defineTool({
      id: "slow",
      description: "Never ends the first time.",
      idempotent: true,
      execute: () => {
        executions += 1;
        return executions > 1 ? "done" : new Promise<string>(() => undefined);
      },
    });
    const openIn = async (process: object): Promise<Runtime> => {
      const model = scriptedModel([[{ call: "slow" }], "done"]);
      const agent = defineAgent({ id: "agent", model, tools: [slow], plugins: [observability()] });
      const runtime = await createRuntime({ ...world, ...process, agents: [agent] });
      onTestFinished(() => void runtime.close().catch(() => undefined));
      return runtime;
    };
    const before = await openIn(freezeProcess(world));
    const { id } = await before.start({ agent: "agent", threadId: "t1", input: "go" });
    await eventually(() => expect(executions).toBe(1));
    const after = await openIn({});
    await world.env.advance(30_000);
    expect(await (await after.run(id)).outcome()).toMatchObject({ status: "done" });
    // Of the first process only what had ended before was exported.
    const [lost, ...later] = tracing.spans();
    const recovered = tracing.span("invoke_agent agent");
    expect(recovered.attributes["reprise.activation"]).toBe("recover");
    expect(recovered.parentSpanContext?.spanId).toBe(lost?.parentSpanContext?.spanId);
    expect(new Set(later.map((span) => span.spanContext().traceId))).toEqual(new Set([lost?.spanContext().traceId]));
  });

  it("keeps its trace where clients do not see it", async () => {
    registerTracing();
    const runtime = await open(createWorld(), ["done"]);
    const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    await run.outcome();
    const types: string[] = [];
    for await (const { type } of run.events()) types.push(type);
    expect(types).not.toContain("state_delta");
  });
});

describe("the trace that a run belongs to", () => {
  it("is that of the code that starts it", async () => {
    const tracing = registerTracing();
    const { run } = await openAgent({ plugins: [observability()] });
    // The API is loaded by the first run.
    await run();
    await trace.getTracer("application").startActiveSpan("POST /ask", async (span) => {
      await run("again");
      span.end();
    });
    expect(treeOf(tracing.spans()).at(-1)).toEqual(["POST /ask", [["invoke_agent agent", ["chat scripted"]]]]);
  });

  it("is that of the tool call that starts a run below", async () => {
    const tracing = registerTracing();
    const env = createFakeEnv();
    const states: (string | undefined)[] = [];
    const delegate = defineTool({
      id: "delegate",
      description: "Delegates.",
      recursive: true,
      execute: async (_, { identity }) => {
        states.push(currentTracestate());
        const { callId, threadId } = identity;
        await runtime.runToCompletion({ agent: "helper", input: "go", parentCallId: callId, parentThreadId: threadId });
        return "done";
      },
    });
    const plugins = [observability()];
    const chief = scriptedModel([[{ call: "delegate" }], "done"]);
    const runtime: Runtime = await createRuntime({
      agents: [
        defineAgent({ id: "chief", model: chief, tools: [delegate], plugins }),
        defineAgent({ id: "helper", model: scriptedModel(() => "helped"), plugins }),
      ],
      env,
      store: createMemoryStore({ clock: env.clock }),
      blobs: createMemoryBlobStore(env),
    });
    const traced = { traceparent: CALLER, tracestate: "rojo=1,congo=2" };
    await runtime.runToCompletion({ agent: "chief", input: "go", ...traced });
    expect(treeOf(tracing.spans())).toEqual([
      [
        "invoke_agent chief",
        ["chat scripted", ["execute_tool delegate", [["invoke_agent helper", ["chat scripted"]]]], "chat scripted"],
      ],
    ]);
    const stateOf = (span: ReturnType<typeof tracing.span>) => span.spanContext().traceState?.serialize();
    expect(new Set([...states, ...tracing.spans().map(stateOf)])).toEqual(new Set([traced.tracestate]));
    const { items } = await runtime.runs({});
    expect(items.map(({ tracestate }) => tracestate)).toEqual([traced.tracestate, traced.tracestate]);
    await runtime.close();
  });
});

describe("the metrics of runs", () => {
  it("have the names and attributes of the conventions", async () => {
    const tracing = registerTracing();
    const usage = { promptTokens: 12, completionTokens: 3 };
    const { run } = await openAgent({
      plugins: [observability()],
      tools: [read],
      script: [[{ call: "read" }], [{ text: "done" }, { usage }]],
    });
    await run();
    const agent = { "gen_ai.agent.name": "agent" };
    const asked = {
      ...agent,
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "scripted",
      "gen_ai.request.model": "scripted",
      "gen_ai.response.model": "scripted",
    };
    expect(await tracing.metric("gen_ai.client.operation.duration")).toMatchObject([
      { attributes: asked, value: { count: 2 } },
    ]);
    expect(await tracing.metric("gen_ai.client.token.usage")).toMatchObject([
      { attributes: { ...asked, "gen_ai.token.type": "input" }, value: { sum: 12, count: 1 } },
      { attributes: { ...asked, "gen_ai.token.type": "output" }, value: { sum: 3, count: 1 } },
    ]);
    expect(await tracing.metric("gen_ai.execute_tool.duration")).toMatchObject([
      {
        attributes: { ...agent, "gen_ai.tool.name": "read", "reprise.tool.outcome": "succeeded" },
        value: { count: 1 },
      },
    ]);
    expect(await tracing.metric("gen_ai.invoke_agent.duration")).toMatchObject([
      { attributes: { ...agent, "reprise.termination": "natural" }, value: { count: 1 } },
    ]);
  });
});

describe("the plugin in a configuration file", () => {
  it.each(["observability", "llmmetry"])("is called %s, and is set up by its section", async (id) => {
    const tracing = registerTracing();
    const { run, verify } = await openAgent({
      script: ["done"],
      configured: { plugin_ids: [id], sections: { [id]: { conventions: "1.36", capture_content: true } } },
    });
    const outcome = await run("What is there?");
    const chat = tracing.spans()[1];
    expect(chat?.attributes).toMatchObject({
      "gen_ai.system": "p",
      "gen_ai.prompt": expect.stringContaining("there?"),
    });
    expect(chat?.attributes).not.toHaveProperty("gen_ai.provider.name");
    expect(await verify(outcome)).toMatchObject({ equal: true });
  });
});

it("says which package is missing when OpenTelemetry is not installed", async () => {
  vi.resetModules();
  vi.doMock("@opentelemetry/api", () => {
    throw new Error("Cannot find package '@opentelemetry/api'");
  });
  onTestFinished(() => {
    vi.doUnmock("@opentelemetry/api");
    vi.resetModules();
  });
  const fresh = await import("../src/observability/index.ts");
  const { run } = await openAgent({ plugins: [fresh.observability()] });
  expect(await run()).toMatchObject({
    status: "failed",
    code: "PLUGIN_FAILED",
    error: expect.stringContaining("needs the package @opentelemetry/api, which is not installed. Install it"),
  });
  const seen: string[] = [];
  const sinked = await openAgent({
    plugins: [fresh.observability({ sink: { onRunEnd: (run) => seen.push(run.termination) } })],
  });
  expect(await sinked.run()).toMatchObject({ status: "done" });
  expect(seen).toEqual(["natural"]);
});
