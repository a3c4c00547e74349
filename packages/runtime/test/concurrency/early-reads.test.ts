import type { LanguageModel, Message, ModelChunk } from "@reprise/contracts";
import { definePlugin, defineTool, type ToolDefinition } from "@reprise/runtime";
import { describe, expect, it } from "vitest";
import { assertConsistent } from "../support/assert-consistent.ts";
import { type OpenOptions, openRuntime } from "../support/open-runtime.ts";
import { collect, gate, settle, soon, typesOf } from "../support/wait.ts";

/** A model that asks for calls, then keeps its stream open until it is told how to end it. */
function holdingModel(tools: readonly string[]) {
  const ends: { readonly promise: Promise<"finish" | "break">; readonly open: (how: "finish" | "break") => void }[] =
    [];
  const requests: number[] = [];
  const model: LanguageModel = {
    id: "holding",
    async *stream({ messages, signal }): AsyncGenerator<ModelChunk> {
      requests.push(messages.length);
      if (messages.at(-1)?.role === "tool") {
        yield { type: "text_delta", delta: "done" };
        return yield { type: "finish", stop_reason: "end_turn" };
      }
      for (const [index, name] of tools.entries()) {
        const id = `call_${index}`;
        yield { type: "tool_call_start", id, name };
        yield { type: "tool_call_delta", id, args_delta: "{}" };
        yield { type: "tool_call_ready", id, name, arguments: "{}" };
      }
      const end = gate<"finish" | "break">();
      ends.push(end);
      signal.addEventListener("abort", () => end.open("break"), { once: true });
      if ((await end.promise) === "finish") yield { type: "finish", stop_reason: "tool_use" };
      else throw new Error("The line broke.");
    },
  };
  return { model, requests, finish: () => ends.at(-1)?.open("finish") };
}

interface Execution {
  readonly callId: string;
  readonly tool: string;
  readonly signal: AbortSignal;
  readonly finish: (value?: unknown) => void;
}

type Definition = Partial<ToolDefinition<unknown, unknown>>;

/** A runtime whose agent starts reads early, and whose tools run until they are told to end. */
async function open(
  calls: readonly string[],
  definitions: Readonly<Record<string, Definition>> = {},
  options: OpenOptions = {},
) {
  const executions: Execution[] = [];
  const held = holdingModel(calls);
  const tools = [...new Set(calls)].map((id) =>
    defineTool<unknown, unknown>({
      id,
      description: id,
      class: id.startsWith("read") ? "read_only" : "mutating",
      ...definitions[id],
      execute: (_, { idempotencyKey, signal }) => {
        const { promise, open: finish } = gate<unknown>();
        executions.push({ callId: idempotencyKey, tool: id, signal, finish: (value = id) => finish(value) });
        return promise;
      },
    }),
  );
  const agent = { startReadsEarly: true, ...options.agent };
  const bench = await openRuntime({ tools, ...options, model: held.model, agent });
  const run = await bench.runtime.start({ agent: "agent", threadId: "t1", input: "go" });
  await settle();
  const begun = () => executions.map(({ tool }) => tool);
  return { ...bench, ...held, run, executions, begun };
}

type Opened = Awaited<ReturnType<typeof open>>;

/** Ends the model's stream and every execution, until the run is over. */
async function finishAll({ finish, executions, run, tenant, runtime }: Opened) {
  finish();
  for (let turn = 0; turn < 5; turn += 1) {
    await settle();
    for (const execution of executions) execution.finish();
  }
  const outcome = await soon(run.outcome());
  await assertConsistent(tenant, "t1");
  const { messages } = await runtime.threads.messages("t1");
  const results = messages.filter(({ role }) => role === "tool").toSorted(byCall);
  return { outcome, results };
}

/** A thread keeps results as they came; the model gets them in the order it asked. */
function byCall(left: Message, right: Message): number {
  return (left.tool_call_id ?? "").localeCompare(right.tool_call_id ?? "");
}

describe("a read", () => {
  it("begins before the model's stream ends, runs once and has one result", async () => {
    const opened = await open(["read_a", "read_b"]);
    expect(opened.begun()).toEqual(["read_a", "read_b"]);
    opened.executions[1]?.finish("early");
    const { outcome, results } = await finishAll(opened);
    expect(outcome).toMatchObject({ status: "done", text: "done" });
    expect(opened.begun()).toEqual(["read_a", "read_b"]);
    expect(results.map(({ content }) => content)).toEqual(["read_a", "early"]);
    expect(opened.executions.map(({ callId }) => callId)).toEqual(results.map(({ tool_call_id }) => tool_call_id));
  });

  it("waits for the end of the stream unless the agent says otherwise", async () => {
    const opened = await open(["read_a"], {}, { agent: { startReadsEarly: false } });
    expect(opened.begun()).toEqual([]);
    expect(await finishAll(opened)).toMatchObject({ outcome: { status: "done" } });
    expect(opened.begun()).toEqual(["read_a"]);
  });

  it("does not begin early behind something that writes, nor does that", async () => {
    const opened = await open(["read_a", "write", "read_b"]);
    expect(opened.begun()).toEqual(["read_a"]);
    opened.finish();
    await settle();
    expect(opened.begun()).toEqual(["read_a"]);
    opened.executions[0]?.finish();
    await settle();
    expect(opened.begun()).toEqual(["read_a", "write"]);
    opened.executions[1]?.finish();
    await settle();
    expect(opened.begun()).toEqual(["read_a", "write", "read_b"]);
    expect((await finishAll(opened)).results).toHaveLength(3);
  });

  it.each([
    ["promoted", { toolConcurrency: { write: {} } }, {}],
    ["recursive", {}, { write: { recursive: true } }],
    ["recursive and read-only", {}, { write: { recursive: true, class: "read_only" } }],
  ] as const)("does not begin early behind a %s tool either", async (_, agent, definitions) => {
    const opened = await open(["write", "read_a"], definitions, { agent: { startReadsEarly: true, ...agent } });
    expect(opened.begun()).toEqual([]);
    expect((await finishAll(opened)).results).toHaveLength(2);
  });

  it("does not begin early behind a call that is refused", async () => {
    const opened = await open(["nope", "read_a"], {}, { tools: [] });
    expect(opened.begun()).toEqual([]);
    expect((await finishAll(opened)).results).toHaveLength(2);
  });

  it.each([
    ["always", true],
    ["for some arguments", () => false],
  ])("does not begin early when somebody is asked %s, nor does what follows it", async (_, needsApproval) => {
    const opened = await open(["read_a", "read_b", "read_c"], { read_b: { needsApproval } });
    expect(opened.begun()).toEqual(["read_a"]);
    opened.finish();
    await settle();
    expect(opened.begun()).toContain("read_c");
  });

  it("does not begin early when a plugin is asked about calls", async () => {
    const asked: string[] = [];
    const plugin = definePlugin({
      id: "guard",
      hooks: {
        beforeToolExecute: ({ call }) => {
          asked.push(call.toolId);
          return [];
        },
      },
    });
    const opened = await open(["read_a"], {}, { agent: { plugins: [plugin] } });
    expect([opened.begun(), asked]).toEqual([[], []]);
    await finishAll(opened);
    expect([opened.begun(), asked]).toEqual([["read_a"], ["read_a"]]);
  });

  it("begins early under other hooks", async () => {
    const plugin = definePlugin({ id: "watcher", hooks: { afterToolExecute: () => [], stepStart: () => [] } });
    const opened = await open(["read_a"], {}, { agent: { plugins: [plugin] } });
    expect(opened.begun()).toEqual(["read_a"]);
    await finishAll(opened);
  });
});

describe("a read that began early", () => {
  it("shows nothing of its end before the step is over, and the journal is in order", async () => {
    const opened = await open(["read_a"]);
    opened.executions[0]?.finish();
    await settle();
    const { items } = await opened.tenant.listCalls({ run_id: opened.run.id });
    expect(items).toEqual([]);
    await finishAll(opened);
    const types = typesOf(await collect(opened.run));
    expect(types.indexOf("tool_call_done")).toBeGreaterThan(types.indexOf("step_end"));
  });

  it("is stopped with the run, and its call has a result", async () => {
    const opened = await open(["read_a"]);
    await opened.run.cancel();
    expect(await soon(opened.run.outcome())).toMatchObject({ status: "cancelled" });
    expect(opened.executions.map(({ signal }) => signal.aborted)).toEqual([true]);
    await assertConsistent(opened.tenant, "t1");
  });

  it("is stopped with the run in its round as well", async () => {
    const opened = await open(["read_a"]);
    opened.finish();
    await settle();
    await opened.run.cancel();
    expect(await soon(opened.run.outcome())).toMatchObject({ status: "cancelled" });
    expect(opened.executions.map(({ signal }) => signal.aborted)).toEqual([true]);
    const { items } = await opened.tenant.listCalls({ run_id: opened.run.id });
    expect(items.map(({ status }) => status)).toEqual(["cancelled"]);
    await assertConsistent(opened.tenant, "t1");
  });

  it.each(["finish", "block"] as const)("is let finish in its round when it says %s", async (interruptBehavior) => {
    const opened = await open(["read_a", "read_b"], { read_a: { interruptBehavior } });
    opened.finish();
    await settle();
    await opened.run.cancel();
    await settle();
    expect(opened.executions[0]?.signal.aborted).toBe(false);
    opened.executions[0]?.finish("kept");
    expect(await soon(opened.run.outcome())).toMatchObject({ status: "cancelled" });
    const { messages } = await opened.runtime.threads.messages("t1");
    expect(messages.find(({ role }) => role === "tool")?.content).toBe("kept");
    await assertConsistent(opened.tenant, "t1");
  });

  it("that failed has its failure as its one result", async () => {
    const opened = await open(["read_a"]);
    opened.executions[0]?.finish(Promise.reject(new Error("gone")));
    const { outcome, results } = await finishAll(opened);
    expect(outcome).toMatchObject({ status: "done" });
    expect(results.map(({ content }) => content)).toEqual([expect.stringContaining("execution_failed")]);
  });

  it("has no more time than any other", async () => {
    const opened = await open(["read_a"], { read_a: { timeoutMs: 50 } });
    await opened.env.advance(60);
    expect(opened.executions[0]?.signal.aborted).toBe(true);
    const { results } = await finishAll(opened);
    expect(results.map(({ content }) => content)).toEqual([expect.stringContaining("timeout")]);
    expect(opened.begun()).toEqual(["read_a"]);
  });

  it("takes a place of the pool like any other", async () => {
    const opened = await open(
      ["read", "read", "read"],
      {},
      { limits: { pools: { read: 2, serial: 1, concurrent: 1 } } },
    );
    expect(opened.begun()).toHaveLength(2);
    opened.finish();
    await settle();
    expect(opened.begun()).toHaveLength(2);
    opened.executions[0]?.finish();
    await settle();
    expect(opened.begun()).toHaveLength(3);
    expect((await finishAll(opened)).results).toHaveLength(3);
  });

  it("keeps the limit of its tool", async () => {
    const agent = { startReadsEarly: true, toolConcurrency: { read: { max: 1 } } };
    const opened = await open(["read", "read"], {}, { agent });
    expect(opened.begun()).toHaveLength(1);
    expect((await finishAll(opened)).results).toHaveLength(2);
  });

  it("is alone where calls go one at a time", async () => {
    const agent = { startReadsEarly: true, toolExecutionMode: "sequential" } as const;
    const opened = await open(["read_a", "read_b"], {}, { agent });
    expect(opened.begun().length).toBeLessThanOrEqual(1);
    expect((await finishAll(opened)).results).toHaveLength(2);
  });
});

describe("calls that are written at the same time", () => {
  it("begin early only when everything before them is known to be a read", async () => {
    const finished = gate();
    const model: LanguageModel = {
      id: "interleaving",
      async *stream({ messages }): AsyncGenerator<ModelChunk> {
        if (messages.at(-1)?.role === "tool") return yield { type: "finish", stop_reason: "end_turn" };
        yield { type: "tool_call_start", id: "first", name: "write" };
        yield { type: "tool_call_start", id: "second", name: "read" };
        yield { type: "tool_call_ready", id: "second", name: "read", arguments: "{}" };
        await finished.promise;
        yield { type: "tool_call_ready", id: "first", name: "write", arguments: "{}" };
        yield { type: "finish", stop_reason: "tool_use" };
      },
    };
    const executions: string[] = [];
    const tools = (["write", "read"] as const).map((id) =>
      defineTool({
        id,
        description: id,
        class: id === "read" ? "read_only" : "mutating",
        execute: (_, { idempotencyKey }) => executions.push(`${id} ${idempotencyKey.slice(-2)}`),
      }),
    );
    const { runtime } = await openRuntime({ model, tools, agent: { startReadsEarly: true } });
    const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    await settle();
    expect(executions).toEqual([]);
    finished.open();
    await soon(run.outcome());
    expect(executions).toEqual(["write c0", "read c1"]);
  });
});

describe("a turn that is taken back", () => {
  /** Begins a call, breaks, and asks for something else. */
  function changingModel(second: string): LanguageModel {
    let attempts = 0;
    return {
      id: "changing",
      async *stream({ messages }): AsyncGenerator<ModelChunk> {
        if (messages.at(-1)?.role === "tool") {
          yield { type: "text_delta", delta: "done" };
          return yield { type: "finish", stop_reason: "end_turn" };
        }
        attempts += 1;
        const name = attempts === 1 ? "read_a" : second;
        yield { type: "tool_call_start", id: "x", name };
        if (attempts === 1) {
          yield { type: "tool_call_delta", id: "x", args_delta: "{" };
          throw new Error("The line broke.");
        }
        yield { type: "tool_call_delta", id: "x", args_delta: "{}" };
        yield { type: "tool_call_ready", id: "x", name, arguments: "{}" };
        yield { type: "finish", stop_reason: "tool_use" };
      },
    };
  }

  it("leaves one result for the call that is asked for in the end", async () => {
    const executions: string[] = [];
    const tools = ["read_a", "read_b"].map((id) =>
      defineTool({ id, description: id, class: "read_only", execute: () => executions.push(id) && id }),
    );
    const bench = await openRuntime({ model: changingModel("read_b"), tools, agent: { startReadsEarly: true } });
    const run = await bench.runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    expect(await soon(run.outcome())).toMatchObject({ status: "done" });
    expect(executions).toEqual(["read_b"]);
    const { messages } = await bench.runtime.threads.messages("t1");
    expect(messages.filter(({ role }) => role === "tool").map(({ content }) => content)).toEqual(["read_b"]);
    expect(typesOf(await collect(run))).toContain("step_reset");
    await assertConsistent(bench.tenant, "t1");
  });
});

describe("a step that fails after its reads began", () => {
  it.each(["afterInference", "stepEnd"] as const)("stops them when a plugin breaks in %s", async (hook) => {
    const plugin = definePlugin({
      id: "broken",
      hooks: {
        [hook]: () => {
          throw new Error("broken");
        },
      },
    });
    const opened = await open(["read_a"], {}, { agent: { plugins: [plugin] } });
    opened.finish();
    expect(await soon(opened.run.outcome())).toMatchObject({ status: "failed" });
    expect(opened.executions.map(({ signal }) => signal.aborted)).toEqual([true]);
    await assertConsistent(opened.tenant, "t1");
  });

  it("stops them when a plugin ends the run", async () => {
    const plugin = definePlugin({ id: "enough", hooks: { afterInference: () => [{ type: "terminate" }] } });
    const opened = await open(["read_a"], {}, { agent: { plugins: [plugin] } });
    opened.finish();
    expect(await soon(opened.run.outcome())).toMatchObject({ status: "done" });
    expect(opened.executions.map(({ signal }) => signal.aborted)).toEqual([true]);
    await assertConsistent(opened.tenant, "t1");
  });
});
