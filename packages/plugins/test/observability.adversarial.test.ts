import { trace } from "@opentelemetry/api";
import { type MetricsSink, observability } from "@reprise/plugins/observability";
import { defineTool } from "@reprise/runtime";
import { describe, expect, it, onTestFinished } from "vitest";
import { openAgent } from "./support/open-agent.ts";
import { registerTracing, treeOf } from "./support/traced-runs.ts";

const read = defineTool({ id: "read", description: "Reads.", class: "read_only", execute: () => "text" });
const script = [[{ call: "read" }], "done"];

describe("a sink that fails", () => {
  const fail = (): never => {
    throw new Error("disk full");
  };
  const failing: Required<MetricsSink> = {
    onInference: fail,
    onTool: fail,
    onSuspension: fail,
    onDelegation: fail,
    onHandoff: fail,
    onRunEnd: fail,
  };

  it("disturbs neither the run nor the spans, and is logged once for an activation", async () => {
    const tracing = registerTracing();
    const plugin = observability({ sink: failing, openTelemetry: true });
    const { run, verify, env } = await openAgent({ plugins: [plugin], tools: [read], script });
    const outcome = await run();
    expect(outcome).toMatchObject({ status: "done", text: "done" });
    expect(treeOf(tracing.spans())).toEqual([
      ["invoke_agent agent", ["chat scripted", "execute_tool read", "chat scripted"]],
    ]);
    expect(env.lines.filter(({ message }) => message === "an observer failed")).toMatchObject([
      { details: { observer: "observability", problem: expect.stringContaining("disk full") } },
    ]);
    expect(await verify(outcome)).toMatchObject({ equal: true });
  });

  it("may be asynchronous and reject", async () => {
    const rejecting = { onInference: async () => fail(), onRunEnd: async () => fail() };
    const { run } = await openAgent({ plugins: [observability({ sink: rejecting })], tools: [read], script });
    expect(await run()).toMatchObject({ status: "done" });
  });
});

describe("an SDK that misbehaves", () => {
  it.each(["getTracer", "startSpan"])("disturbs no run when %s throws", async (where) => {
    const fail = (): never => {
      throw new Error("broken SDK");
    };
    trace.setGlobalTracerProvider({ getTracer: where === "getTracer" ? fail : () => ({ startSpan: fail }) as never });
    onTestFinished(() => trace.disable());
    const { run, verify } = await openAgent({ plugins: [observability()], tools: [read], script });
    const outcome = await run();
    expect(outcome).toMatchObject({ status: "done", text: "done" });
    expect(await verify(outcome)).toMatchObject({ equal: true });
  });

  it("is not needed: without one, nothing is traced and nothing is kept", async () => {
    const { run, runtime, verify } = await openAgent({ plugins: [observability()], tools: [read], script });
    const outcome = await run();
    expect(outcome).toMatchObject({ status: "done" });
    expect(await runtime.threads.state("t1")).not.toHaveProperty("__observability");
    expect(await verify(outcome)).toMatchObject({ equal: true });
  });
});

describe("hostile names", () => {
  it("of agents, tools and calls stay inside names and attributes", async () => {
    const tracing = registerTracing();
    const name = "a$&{tool}`";
    const odd = defineTool({ id: "x_1", description: "$& {model}", execute: () => "ok" });
    const { run } = await openAgent({
      plugins: [observability()],
      tools: [odd],
      script: [[{ call: "x_1" }, { call: name }, { call: "__proto__" }], "done"],
    });
    expect(await run()).toMatchObject({ status: "done" });
    const names = tracing.spans().map((span) => span.name);
    expect(names).toEqual(
      expect.arrayContaining(["execute_tool x_1", `execute_tool ${name}`, "execute_tool __proto__"]),
    );
  });

  it("that a model makes up become no series of a metric", async () => {
    const tracing = registerTracing();
    const calls = Array.from({ length: 200 }, (_, index) => ({ call: `made_up_${index}` }));
    const { run } = await openAgent({ plugins: [observability()], script: [calls, "done"] });
    expect(await run()).toMatchObject({ status: "done" });
    expect(await tracing.metric("gen_ai.execute_tool.duration")).toEqual([]);
  });
});

it("ends every span that it began, however a run ends", async () => {
  const tracing = registerTracing();
  let begun = 0;
  const provider = trace.getTracerProvider();
  const counting = provider.getTracer("reprise");
  const startSpan = counting.startSpan.bind(counting);
  counting.startSpan = (...given) => {
    begun += 1;
    return startSpan(...given);
  };
  const hang = defineTool({
    id: "hang",
    description: "Hangs until it is stopped.",
    execute: (_, { signal }) =>
      new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
  });
  const { runtime } = await openAgent({ plugins: [observability()], tools: [hang], script: [[{ call: "hang" }]] });
  const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
  for await (const { type } of run.events()) if (type === "tool_call_ready") break;
  await run.cancel();
  expect(await run.outcome()).toMatchObject({ status: "cancelled" });
  const whole = tracing.span("invoke_agent agent");
  expect(whole.attributes["reprise.termination"]).toBe("cancelled");
  expect(tracing.span("execute_tool hang").attributes["reprise.tool.outcome"]).toBe("cancelled");
  expect(tracing.spans().length).toBeGreaterThanOrEqual(begun);
});
