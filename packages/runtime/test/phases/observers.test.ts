import { AsyncLocalStorage } from "node:async_hooks";
import type { AgentEvent, Observe, ObservedRun, RunObserver } from "@reprise/contracts";
import { scriptedModel } from "@reprise/models";
import { createRuntime, defineAgent, definePlugin, defineTool } from "@reprise/runtime";
import { describe, expect, it } from "vitest";
import { record } from "../replay-support/record.ts";
import { createWorld, openRuntime } from "../support/open-runtime.ts";
import { countingTool } from "../support/tools.ts";
import { collect, gate, soon } from "../support/wait.ts";

const ADD = { call: "add", arguments: { title: "milk" } } as const;
const TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
const CHILD = "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01";
const OTHER = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

/** A plugin that observes, and the log of what it saw. */
function watching(observer: (log: string[], run: ObservedRun) => RunObserver) {
  const log: string[] = [];
  const plugin = definePlugin({ id: "watching", observe: (run) => observer(log, run) });
  return { plugin, log };
}

const everything = (log: string[]): RunObserver => ({
  event: ({ type }) => log.push(`event ${type}`),
  model: ({ model, request }) => {
    log.push(`model ${model} begins with ${request.messages.length}`);
    return { end: (ending) => log.push(`model ends: ${"answer" in ending ? ending.answer.stopReason : "thrown"}`) };
  },
  tool: ({ tool, callId }) => {
    log.push(`tool ${tool.id} begins`);
    return { end: (ending) => log.push(`tool ${callId.slice(-5)}: ${"answer" in ending && ending.answer.status}`) };
  },
  close: () => log.push("closed"),
});

describe("an observer of a plugin", () => {
  it("sees the work of an activation as it begins and ends, and its events once they are committed", async () => {
    const { plugin, log } = watching(everything);
    const { tool } = countingTool();
    const { runtime } = await openRuntime({ script: [[ADD], "done"], tools: [tool], agent: { plugins: [plugin] } });
    const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    await soon(run.outcome());
    const events = await collect(run);
    await soon(Promise.resolve());
    expect(log.filter((line) => !line.startsWith("event"))).toEqual([
      "model scripted begins with 1",
      "model ends: tool_use",
      "tool add begins",
      "tool s1-c0: success",
      "model scripted begins with 3",
      "model ends: end_turn",
      "closed",
    ]);
    // The first `run_start` is committed with the request.
    expect(log.filter((line) => line.startsWith("event"))).toEqual(events.slice(1).map(({ type }) => `event ${type}`));
  });

  it("sees an event only after the commit that made it durable", async () => {
    const before: boolean[] = [];
    const world = createWorld();
    const tenant = world.store.forTenant("default");
    const plugin = definePlugin({
      id: "late",
      observe: ({ runId }) => ({
        event: ({ type }) => {
          if (type === "run_finish") void tenant.loadRun(runId).then((run) => before.push(run?.status === "done"));
        },
      }),
    });
    const { runtime } = await openRuntime({ world, agent: { plugins: [plugin] } });
    await soon(runtime.runToCompletion({ agent: "agent", threadId: "t1", input: "go" }));
    expect(before).toEqual([true]);
  });

  it("sees calls of one round begin beside each other", async () => {
    const { plugin, log } = watching((lines) => ({
      tool: ({ callId }) => {
        lines.push(`begin ${callId.slice(-2)}`);
        return { end: () => lines.push(`end ${callId.slice(-2)}`) };
      },
    }));
    const both = gate();
    let waiting = 0;
    const read = defineTool({
      id: "read",
      description: "Reads.",
      class: "read_only",
      execute: async () => {
        waiting += 1;
        if (waiting === 2) both.open();
        await both.promise;
        return "text";
      },
    });
    const script = [[{ call: "read" }, { call: "read" }], "done"];
    const { runtime } = await openRuntime({ script, tools: [read], agent: { plugins: [plugin] } });
    await soon(runtime.runToCompletion({ agent: "agent", threadId: "t1", input: "go" }));
    expect(log.slice(0, 2)).toEqual(["begin c0", "begin c1"]);
    expect(log.slice(2).toSorted()).toEqual(["end c0", "end c1"]);
  });

  it("chooses the async context that the code of a model and a tool runs in", async () => {
    const context = new AsyncLocalStorage<string>();
    const seen: (string | undefined)[] = [];
    const enterAs = (name: string) => ({ enter: (run: () => void) => context.run(name, run) });
    const plugin = definePlugin({
      id: "context",
      observe: () => ({ model: ({ stepId }) => enterAs(stepId.slice(-2)), tool: ({ tool }) => enterAs(tool.id) }),
    });
    const script = (_: unknown, turn: number) => {
      seen.push(context.getStore());
      return turn === 1 ? [ADD] : "done";
    };
    const { tool } = countingTool({
      execute: async () => {
        await Promise.resolve();
        seen.push(context.getStore());
        return "added";
      },
    });
    const { runtime } = await openRuntime({ script, tools: [tool], agent: { plugins: [plugin] } });
    await soon(runtime.runToCompletion({ agent: "agent", threadId: "t1", input: "go" }));
    expect(seen).toEqual(["s1", "add", "s2"]);
  });

  it("hears why a model or a tool failed", async () => {
    const { plugin, log } = watching((lines) => ({
      model: () => ({ end: (ending) => lines.push("error" in ending ? String(ending.error) : "answered") }),
      tool: () => ({ end: (ending) => lines.push("answer" in ending ? String(ending.answer.status) : "thrown") }),
    }));
    const { tool } = countingTool({
      execute: () => {
        throw new Error("no paper");
      },
    });
    const script = [[ADD], [{ fail: "invalid_request" as const }]];
    const { runtime } = await openRuntime({ script, tools: [tool], agent: { plugins: [plugin] } });
    const outcome = await soon(runtime.runToCompletion({ agent: "agent", threadId: "t1", input: "go" }));
    expect(outcome.status).toBe("failed");
    expect(log).toEqual(["answered", "error", expect.stringContaining("ModelError")]);
  });

  it("begins anew with each activation, also in another process", async () => {
    const seen: (readonly [string, string | undefined])[] = [];
    const plugin = definePlugin({
      id: "watching",
      observe: ({ activation, traceparent }) => {
        seen.push([activation, traceparent]);
        return undefined;
      },
    });
    const { tool } = countingTool({ needsApproval: true });
    const options = { tools: [tool], agent: { plugins: [plugin] } };
    const before = await openRuntime({ script: [[ADD]], ...options });
    const run = await before.runtime.start({ agent: "agent", threadId: "t1", input: "go", traceparent: TRACE });
    expect(await soon(run.outcome())).toMatchObject({ status: "waiting" });
    await before.runtime.close();
    const after = await openRuntime({ world: before, script: ["done"], ...options });
    const [call] = await after.runtime.decisions.list();
    await after.runtime.decisions.decide(call?.id ?? "", { action: "approve" });
    expect(await soon((await after.runtime.run(run.id)).outcome())).toMatchObject({ status: "done" });
    expect(seen).toEqual([
      ["start", TRACE],
      ["resume", TRACE],
    ]);
  });

  it("is never called in a replay, in either mode", async () => {
    let calls = 0;
    const plugin = definePlugin({
      id: "counting",
      observe: () => {
        calls += 1;
        const count = (): undefined => {
          calls += 1;
        };
        return { event: count, model: count, tool: count };
      },
    });
    const { tool } = countingTool();
    const bench = await record({ script: [[ADD], "done"], tools: [tool], agent: { plugins: [plugin] } });
    const live = calls;
    expect(live).toBeGreaterThan(3);
    expect(await bench.verify()).toMatchObject({ equal: true });
    expect(await soon(bench.runtime.replay(bench.run.id, { mode: "reexecute" }))).toMatchObject({ equal: true });
    expect(calls).toBe(live);
  });
});

describe("an observer that misbehaves", () => {
  const fail = (_?: unknown): never => {
    throw new Error("collector gone");
  };
  const bad: readonly (readonly [string, Observe])[] = [
    ["throws at once", fail],
    ["throws everywhere", () => ({ event: fail, model: fail, tool: fail, close: fail })],
    [
      "throws in its contexts",
      () => ({ model: () => ({ enter: fail, end: fail }), tool: () => ({ enter: fail, end: fail }) }),
    ],
    [
      "never runs the work",
      () => ({ model: () => ({ enter: () => undefined }), tool: () => ({ enter: () => undefined }) }),
    ],
    [
      "runs the work three times",
      () => ({
        tool: () => ({
          enter: (run) => {
            run();
            run();
            run();
          },
        }),
      }),
    ],
    ["throws after it ran the work", () => ({ tool: () => ({ enter: (run) => fail(run()) }) })],
    ["is asynchronous and rejects", () => ({ event: (async () => fail()) as () => void })],
    [
      "writes to what it sees",
      () => ({
        event: (event) => Object.assign(event, { type: "error" }),
        model: ({ request }) => void (request.messages as unknown[]).push("x") as undefined,
        tool: (work) => Object.assign(work.arguments as object, { title: "x" }) && undefined,
      }),
    ],
  ];

  it.each(bad)("does not disturb a run: it %s", async (_, observe) => {
    const run = async (plugins: readonly ReturnType<typeof definePlugin>[]) => {
      const { tool, keys } = countingTool();
      const bench = await openRuntime({ script: [[ADD], "done"], tools: [tool], agent: { plugins: [...plugins] } });
      const handle = await bench.runtime.start({ agent: "agent", threadId: "t1", input: "go" });
      const outcome = await soon(handle.outcome());
      const shapes = (await collect(handle)).map(({ type, data }: AgentEvent) => [type, JSON.stringify(data)]);
      return { outcome, keys: keys.length, shapes, env: bench.env };
    };
    const { outcome, keys, env, shapes } = await run([definePlugin({ id: "bad", observe })]);
    expect(outcome).toMatchObject({ status: "done", text: "done" });
    expect(keys).toBe(1);
    expect(shapes.filter(([type]) => type === "error")).toEqual([]);
    const logged = env.lines.filter(({ message }) => message === "an observer failed");
    expect(logged.length).toBeLessThanOrEqual(1);
  });
});

describe("a host", () => {
  it("observes the runs of all agents and tenants until it stops", async () => {
    const seen: string[] = [];
    const world = createWorld();
    const runtime = await createRuntime({
      ...world,
      agents: ["one", "two"].map((id) => defineAgent({ id, model: scriptedModel(() => "done") })),
    });
    const stop = runtime.observe(({ agentId, tenant }) => ({
      event: ({ type }) => {
        if (type === "run_finish") seen.push(`${tenant} ${agentId}`);
      },
    }));
    await soon(runtime.runToCompletion({ agent: "one", input: "go" }));
    await soon(runtime.forTenant("acme").runToCompletion({ agent: "two", input: "go" }));
    stop();
    await soon(runtime.runToCompletion({ agent: "one", input: "go" }));
    expect(seen).toEqual(["default one", "acme two"]);
    await runtime.close();
  });
});

describe("the trace of a request", () => {
  async function startWith(active: string | undefined, given: string | undefined) {
    const plugin = definePlugin({ id: "tracing", traceparent: () => active });
    const { runtime } = await openRuntime({ agent: { plugins: [plugin] } });
    const run = await runtime.start({
      agent: "agent",
      threadId: "t1",
      input: "go",
      ...(given !== undefined && { traceparent: given }),
    });
    await soon(run.outcome());
    return (await run.record()).traceparent;
  }

  it("is the one that a plugin knows the caller by, kept with the run", async () => {
    expect(await startWith(TRACE, undefined)).toBe(TRACE);
  });

  it("is the caller's place in the trace that the request names", async () => {
    expect(await startWith(CHILD, TRACE)).toBe(CHILD);
  });

  it("is the one that the request names when the caller belongs to another", async () => {
    expect(await startWith(OTHER, TRACE)).toBe(TRACE);
    expect(await startWith(undefined, TRACE)).toBe(TRACE);
  });

  it("is none when a plugin answers nonsense or throws", async () => {
    expect(await startWith("not a trace", undefined)).toBeUndefined();
    const plugin = definePlugin({
      id: "tracing",
      traceparent: () => {
        throw new Error("no");
      },
    });
    const { runtime } = await openRuntime({ agent: { plugins: [plugin] } });
    expect(await soon(runtime.runToCompletion({ agent: "agent", input: "go" }))).toMatchObject({ status: "done" });
  });

  it("does not make a repeated request another one", async () => {
    const { runtime } = await openRuntime();
    const request = { agent: "agent", threadId: "t1", input: "go", dedupeKey: "once" };
    const first = await runtime.start({ ...request, traceparent: TRACE });
    const second = await runtime.start({ ...request, traceparent: OTHER });
    expect(second.id).toBe(first.id);
  });

  it("must have the form of the standard", async () => {
    const { runtime } = await openRuntime();
    const start = runtime.start({ agent: "agent", input: "go", traceparent: "00-0-0-00" });
    await expect(start).rejects.toThrow("traceparent must be a traceparent of W3C Trace Context");
  });
});
