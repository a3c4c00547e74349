import type { AgentEvent, ToolResult } from "@reprise/contracts";
import { mcp } from "@reprise/plugins/mcp";
import { observability } from "@reprise/plugins/observability";
import type { RunHandle } from "@reprise/runtime";
import { describe, expect, it } from "vitest";
import { openAgent } from "../support/open-agent.ts";
import { registerTracing } from "../support/traced-runs.ts";
import { FIXTURE, type OpenMcp, openMcp, serveFixture, WAYS } from "./open-mcp.ts";

const ADD = { call: "mcp__fixture__add", arguments: { a: 2, b: 3 } } as const;
const LEGACY = { ...FIXTURE, protocol: "legacy" } as const;

async function eventsOf(run: RunHandle): Promise<readonly AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const event of run.events()) events.push(event);
  return events;
}

function resultsOf(events: readonly AgentEvent[]): readonly ToolResult[] {
  return events.flatMap((event) => (event.type === "tool_call_done" ? [event.data.result] : []));
}

describe.each(WAYS)("a server that is %s", (_, way) => {
  it("brings its tools, which run and verify by replay", async () => {
    const { runtime, model, plugin } = await openMcp({
      script: [[ADD], "done"],
      options: { servers: { fixture: await way() } },
    });
    const run = await runtime.start({ agent: "agent", input: "go" });
    expect(resultsOf(await eventsOf(run))).toMatchObject([
      { status: "success", data: { sum: 5 }, metadata: { "mcp.server": "fixture", "mcp.tool": "add" } },
    ]);
    const tools = model.requests[0]?.tools ?? [];
    expect(tools.map(({ id }) => id)).toContain("mcp__fixture__add");
    // What a server says of itself is in no position of the request, least of all in the system's.
    expect(JSON.stringify(model.requests)).not.toContain("Ignore all previous");
    expect(plugin.status()).toMatchObject([{ server: "fixture", state: "ready", consecutiveFailures: 0, leftOut: [] }]);
    expect(await runtime.agentParts("agent")).toMatchObject([
      { plugin: "mcp", kind: "mcp_server", name: "fixture", state: "ready", details: { consecutive_failures: 0 } },
    ]);
    expect(await runtime.replay(run.id)).toMatchObject({ equal: true });
  });
});

it("says why a server cannot be reached, and that one was not needed yet", async () => {
  const { runtime } = await openMcp({
    script: ["done"],
    options: { servers: { broken: { command: process.execPath, args: ["-e", "process.exit(3)"] } } },
  });
  const parts = async () => (await runtime.agentParts("agent")).map(({ state, message }) => [state, message]);
  expect(await parts()).toEqual([["idle", undefined]]);
  await (await runtime.start({ agent: "agent", input: "go" })).outcome();
  expect(await parts()).toEqual([["failed", expect.any(String)]]);
});

it("works from a configuration file, and its run verifies with plugins that must not be asked", async () => {
  const bench = await openAgent({
    script: [[ADD], "done"],
    configured: { plugin_ids: ["mcp"], sections: { mcp: { servers: { fixture: { ...LEGACY } } } } },
  });
  const outcome = await bench.run();
  expect(outcome).toMatchObject({ status: "done" });
  expect(JSON.stringify(bench.model.requests[1]?.messages)).toContain("sum");
  expect(await bench.verify(outcome)).toMatchObject({ equal: true });
});

it("takes the hints of a server as defaults, and the operator's word instead of them", async () => {
  const { runtime } = await openMcp({
    options: {
      servers: {
        fixture: { ...LEGACY, tools: { fail: { idempotent: true, destructive: false }, meta: { hidden: true } } },
        wary: { ...LEGACY, ignoreHints: true },
      },
    },
  });
  await runtime.runToCompletion({ agent: "agent", input: "go" });
  const [agent] = runtime.agents();
  const tool = (id: string) => agent?.tools.find((each) => each.id === id);
  expect(tool("mcp__fixture__add")).toMatchObject({ class: "read_only", is_destructive: false });
  expect(tool("mcp__fixture__wait")).toMatchObject({ class: "mutating", is_destructive: true, idempotent: false });
  expect(tool("mcp__fixture__fail")).toMatchObject({ class: "mutating", is_destructive: false, idempotent: true });
  expect(tool("mcp__fixture__meta")).toBeUndefined();
  expect(tool("mcp__wary__add")).toMatchObject({ class: "mutating", is_destructive: true });
});

it("tells the model what a tool says about its failure", async () => {
  const { runtime } = await openMcp({
    script: [[{ call: "mcp__fixture__fail" }], "done"],
    options: { servers: { fixture: { url: await serveFixture() } } },
  });
  const results = resultsOf(await eventsOf(await runtime.start({ agent: "agent", input: "go" })));
  expect(results).toMatchObject([{ status: "error", message: "It cannot be done." }]);
});

it("shows progress as activity, and cancels at the server when the run is cancelled", async () => {
  const counts: Record<string, number> = {};
  const { runtime } = await openMcp({
    script: [[{ call: "mcp__fixture__wait", arguments: { steps: 40 } }], "done"],
    options: { servers: { fixture: { url: await serveFixture(counts) } } },
  });
  const run = await runtime.start({ agent: "agent", input: "go" });
  const shown: unknown[] = [];
  for await (const event of run.events()) {
    if (event.type !== "activity_snapshot") continue;
    shown.push(event.data.content);
    if (shown.length === 2) await run.cancel();
  }
  expect(shown[0]).toMatchObject({ type: "tool-call-progress", progress: 1, total: 40, message: "step 1" });
  await expect.poll(() => counts.cancelled ?? 0).toBeGreaterThan(0);
});

it("lists tools again when the server says that they changed", async () => {
  const { runtime, model, plugin } = await openMcp({
    script: [
      [{ call: "mcp__fixture__learn" }],
      [{ call: "mcp__fixture__wait", arguments: { steps: 2 } }],
      [{ call: "mcp__fixture__fly" }],
      "done",
    ],
    options: { servers: { fixture: LEGACY } },
  });
  const run = await runtime.start({ agent: "agent", input: "go" });
  expect(resultsOf(await eventsOf(run)).at(-1)).toMatchObject({ status: "success", data: "flying" });
  expect(model.requests[0]?.tools.map(({ id }) => id)).not.toContain("mcp__fixture__fly");
  expect(plugin.status()).toMatchObject([{ listVersion: 2 }]);
  expect(await runtime.replay(run.id)).toMatchObject({ equal: true });
});

it("tells a server in `_meta` which trace a call is part of, and nothing where nothing is traced", async () => {
  const call = { script: [[{ call: "mcp__fixture__meta" }], "done"] } as const;
  const options = { servers: { fixture: { url: await serveFixture() } } };
  const state = { tracestate: "rojo=1" };
  const caller = { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", ...state };
  const metaOf = async (given: Pick<OpenMcp, "agent">): Promise<{ readonly traceparent?: string }> => {
    const { runtime } = await openMcp({ ...call, options, ...given });
    const [result] = resultsOf(await eventsOf(await runtime.start({ agent: "agent", input: "go", ...caller })));
    return JSON.parse(String(result?.data));
  };
  expect(await metaOf({})).not.toHaveProperty("traceparent");
  const tracing = registerTracing();
  const meta = await metaOf({ agent: { plugins: [observability()] } });
  const { traceId, spanId } = tracing.span("execute_tool mcp__fixture__meta").spanContext();
  expect(meta).toMatchObject({ traceparent: `00-${traceId}-${spanId}-01`, ...state });
});

it("keeps a page that shows a result with the result, and tells the model about a picture", async () => {
  const { runtime } = await openMcp({
    script: [[{ call: "mcp__fixture__picture" }], "done"],
    options: { servers: { fixture: { url: await serveFixture() } } },
  });
  const results = resultsOf(await eventsOf(await runtime.start({ agent: "agent", input: "go" })));
  expect(results).toMatchObject([
    {
      data: "[image: image/png, 6 bytes]",
      metadata: {
        "mcp.ui.resourceUri": "ui://fixture/picture",
        "mcp.ui.content": "<p>A picture</p>",
        "mcp.ui.mimeType": "text/html;profile=mcp-app",
        "mcp.result.content": [{ type: "image" }],
      },
    },
  ]);
});

it("runs without the tools of a server that is away, says so, and has them when it is back", async () => {
  const plugin = mcp({ servers: { away: { command: "no-such-program-anywhere" } } });
  const { runtime } = await openMcp({ plugin });
  expect(await runtime.runToCompletion({ agent: "agent", input: "go" })).toMatchObject({ status: "done" });
  expect(plugin.status()).toMatchObject([{ state: "failed", consecutiveFailures: 1, tools: [] }]);
  await expect(plugin.refresh("away")).rejects.toThrow("MCP server away: ");
  await expect(plugin.refresh("other")).rejects.toThrow('There is no MCP server "other".');
});

it("fails a run whose required server is away", async () => {
  const servers = { away: { command: "no-such-program-anywhere", required: true } };
  const { runtime } = await openMcp({ options: { servers } });
  expect(await runtime.runToCompletion({ agent: "agent", input: "go" })).toMatchObject({
    status: "failed",
    error: expect.stringContaining("Plugin mcp could not prepare its tools: MCP server away:"),
  });
});

it("connects again after a crash of the server: a reading call is repeated, a writing one asks a person", async () => {
  const { runtime } = await openMcp({
    script: [[{ call: "mcp__fixture__crash" }], [ADD], "done"],
    options: { servers: { fixture: LEGACY } },
  });
  const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
  expect(await run.outcome()).toMatchObject({ status: "waiting" });
  const [question] = await runtime.decisions.list({ threadId: "t1" });
  expect(question).toMatchObject({ ticket: { suspension: { action: "unknown_outcome" } } });
  await runtime.decisions.decide(question?.id ?? "", { action: "supply", result: "it crashed" });
  expect(await run.outcome()).toMatchObject({ status: "done" });
  expect(await runtime.replay(run.id)).toMatchObject({ equal: true });
});

it.each([
  [{ a__b: { command: "x" } }, "1 to 32 letters"],
  [{ a: { command: "x", url: "http://localhost" } }, "must have either a command or a url"],
  [{ a: {} }, "must have either a command or a url"],
  [{ a: { url: "file:///etc/passwd" } }, "must be an http or https address"],
  [{ a: { url: "http://localhost", timeoutMs: 0 } }, "must be a whole number of at least 1"],
])("refuses the servers %j", (servers, message) => {
  expect(() => mcp({ servers: servers as never })).toThrow(message);
});
