import type { Scope } from "@reprise/server";
import { describe, expect, it } from "vitest";
import { mcpAgents } from "./support/mcp-agents.ts";
import { openDemo } from "./support/open-demo.ts";
import { readUntil } from "./support/read-stream.ts";
import { teamAgents } from "./support/team-agents.ts";

type Demo = Awaited<ReturnType<typeof openDemo>>;
type Params = Record<string, unknown>;

const MODERN = "2026-07-28";
const TASKS = { extensions: { "io.modelcontextprotocol/tasks": {} } };
const FORMS = { elicitation: { form: {} } };

/** Everybody is who the header says, with the tenant and the scopes it says: `alice@acme:run,read`. */
const bySaying = async (headers: Headers) => {
  const [who = "", scopes = ""] = (headers.get("authorization") ?? "").split(":");
  const [id = "", tenant] = who.split("@");
  return { id, scopes: scopes.split(",") as Scope[], ...(tenant !== undefined && { tenant }) };
};
const ALL = "alice:run,read,decide";

async function open(options: Parameters<typeof openDemo>[0] = {}) {
  const { agents, brake } = mcpAgents();
  const demo = await openDemo({ agents, authenticate: bySaying, mcp: { taskAfterMs: 20 }, ...options });
  return { ...demo, brake };
}

/** A request of 2026-07-28, with the headers that belong to it. */
async function ask({ post }: Demo, method: string, params: Params, capabilities: object, who = ALL, more: object = {}) {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": capabilities,
  };
  const name = params.name ?? params.taskId;
  const headers = {
    authorization: who,
    "mcp-protocol-version": MODERN,
    "mcp-method": method,
    ...(typeof name === "string" && { "mcp-name": name }),
    ...more,
  };
  const response = await post("/mcp", { jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } }, headers);
  return { status: response.status, body: readLast(await response.text()) };
}

interface Told {
  readonly result?: Params & { readonly taskId?: string; readonly inputRequests?: Params; readonly content?: unknown };
  readonly error?: { readonly code: number; readonly message: string };
}

/** The last message of a stream, or the only one of an answer. */
function readLast(text: string): Told {
  const frames = text.split("\n").filter((line) => line.startsWith("data: "));
  return JSON.parse(frames.at(-1)?.slice("data: ".length) ?? text);
}

const initialize = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: { elicitation: {} }, clientInfo: { name: "t", version: "1" } },
};

async function openSession({ post }: Demo, who = ALL): Promise<Record<string, string>> {
  const response = await post("/mcp", initialize, { authorization: who });
  expect(response.status).toBe(200);
  return { authorization: who, "mcp-session-id": response.headers.get("mcp-session-id") ?? "" };
}

const call = (id: number, name: string, input: string, more: Params = {}) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: { input }, ...more },
});

describe("a task of 2026-07-28", () => {
  it("is made of a call that takes long, is looked at and has its result in the end", async () => {
    const demo = await open();
    const begun = await ask(demo, "tools/call", { name: "slow", arguments: { input: "go" } }, TASKS);
    expect(begun.body.result).toMatchObject({ resultType: "task", status: "working", ttlMs: expect.any(Number) });
    const taskId = begun.body.result?.taskId ?? "";
    const get = async () => (await ask(demo, "tasks/get", { taskId }, TASKS)).body.result;
    expect(await get()).toMatchObject({ status: "working", statusMessage: "Calling wait." });
    demo.brake.release();
    await expect.poll(async () => (await get())?.status).toBe("completed");
    expect(await get()).toMatchObject({ result: { structuredContent: { text: "Done: waited" } } });
  });

  it("is not made of a call that is done at once, nor for a client that cannot follow it", async () => {
    const demo = await open({ mcp: {} });
    const quick = await ask(demo, "tools/call", { name: "writer", arguments: { input: "hi" } }, TASKS);
    expect(quick.body.result).toMatchObject({
      resultType: "complete",
      structuredContent: { text: "You said hi (1)." },
    });
    const gated = await ask(demo, "tasks/get", { taskId: "x" }, {});
    expect([gated.status, gated.body.error?.code]).toEqual([400, -32021]);
  });

  it("asks, is answered and continues", async () => {
    const demo = await open();
    const client = { ...TASKS, ...FORMS };
    const begun = await ask(demo, "tools/call", { name: "payer", arguments: { input: "Ada" } }, client);
    const taskId = begun.body.result?.taskId ?? "";
    const get = async () => (await ask(demo, "tasks/get", { taskId }, client)).body.result;
    await expect.poll(async () => (await get())?.status).toBe("input_required");
    const [key = ""] = Object.keys((await get())?.inputRequests ?? {});
    const wrong = await ask(demo, "tasks/update", { taskId, inputResponses: { [key]: 7 } }, client);
    expect(wrong.body.error?.code).toBe(-32602);
    const answer = { action: "accept", content: { approve: true } };
    const done = await ask(demo, "tasks/update", { taskId, inputResponses: { [key]: answer, other: answer } }, client);
    expect(done.body.result).toMatchObject({ resultType: "complete" });
    await expect.poll(async () => (await get())?.status).toBe("completed");
  });

  it("asks the question of a run below, and takes its answer", async () => {
    const demo = await open({ agents: teamAgents() });
    const client = { ...TASKS, ...FORMS };
    const begun = await ask(demo, "tools/call", { name: "boss", arguments: { input: "go" } }, client);
    const taskId = begun.body.result?.taskId ?? "";
    const get = async () => (await ask(demo, "tasks/get", { taskId }, client)).body.result;
    await expect.poll(async () => (await get())?.status).toBe("input_required");
    const [key = "", ...others] = Object.keys((await get())?.inputRequests ?? {});
    expect(others).toEqual([]);
    const answer = { action: "accept", content: { approve: true } };
    await ask(demo, "tasks/update", { taskId, inputResponses: { [key]: answer } }, client);
    await expect.poll(async () => (await get())?.status).toBe("completed");
  });

  it("is cancelled, once and again", async () => {
    const demo = await open();
    const begun = await ask(demo, "tools/call", { name: "slow", arguments: { input: "go" } }, TASKS);
    const taskId = begun.body.result?.taskId ?? "";
    for (const _ of [1, 2]) {
      const { body } = await ask(demo, "tasks/cancel", { taskId }, TASKS);
      expect(body.result).toMatchObject({ resultType: "complete" });
      const get = async () => (await ask(demo, "tasks/get", { taskId }, TASKS)).body.result?.status;
      await expect.poll(get).toBe("cancelled");
    }
    expect(demo.brake.state.cancelled).toBe(1);
  });
});

describe("a request of 2026-07-28", () => {
  it("asks by its result, and continues the same run with the answers", async () => {
    const demo = await open();
    const params = { name: "payer", arguments: { input: "Ada" } };
    const asked = await ask(demo, "tools/call", params, FORMS);
    expect(asked.body.result).toMatchObject({ resultType: "input_required", requestState: expect.any(String) });
    const { requestState, inputRequests = {} } = asked.body.result ?? {};
    const [key = ""] = Object.keys(inputRequests);
    const again = await ask(demo, "tools/call", { ...params, requestState, inputResponses: {} }, FORMS);
    expect(again.body.result).toMatchObject({ resultType: "input_required", requestState });
    const inputResponses = { [key]: { action: "accept", content: { approve: true } } };
    const done = await ask(demo, "tools/call", { ...params, requestState, inputResponses }, FORMS);
    expect(done.body.result).toMatchObject({
      resultType: "complete",
      structuredContent: { text: "Done: sent to Ada" },
    });
    expect((await demo.runtime.runs()).total).toBe(1);
  });

  it.each(["another run", "changed", "none"])("refuses a state that is not its own: %s", async (which) => {
    const demo = await open();
    const other = await demo.runtime.runToCompletion({ agent: "writer", input: "secret" });
    const asked = await ask(demo, "tools/call", { name: "payer", arguments: { input: "Ada" } }, FORMS);
    const states = {
      "another run": other.run?.run_id,
      changed: `${asked.body.result?.requestState}x`,
      none: undefined,
    };
    const requestState = states[which as keyof typeof states];
    const params = { name: "payer", arguments: { input: "Ada" }, requestState, inputResponses: {} };
    const { body } = await ask(demo, "tools/call", params, FORMS);
    expect(body.error?.code).toBe(-32602);
    expect(JSON.stringify(body)).not.toContain("secret");
  });

  it.each([
    ["no metadata", { params: {} }, {}, 400, -32602],
    ["another version", { version: "2199-01-01" }, { "mcp-protocol-version": "2199-01-01" }, 400, -32022],
    ["another version in the header", {}, { "mcp-protocol-version": "2025-11-25" }, 400, -32020],
    ["another method in the header", {}, { "mcp-method": "tools/call" }, 400, -32020],
    ["an unknown method", { method: "ping" }, { "mcp-method": "ping" }, 404, -32601],
  ] as const)("is refused with %s", async (_, given, headers, status, code) => {
    const { post } = await open();
    const {
      version = MODERN,
      method = "tools/list",
      params,
    } = given as { version?: string; method?: string; params?: object };
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": version,
      "io.modelcontextprotocol/clientCapabilities": {},
    };
    const body = { jsonrpc: "2.0", id: "a", method, params: params ?? { _meta } };
    const response = await post("/mcp", body, {
      authorization: ALL,
      "mcp-protocol-version": MODERN,
      "mcp-method": "tools/list",
      ...headers,
    });
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ id: "a", error: { code } });
  });
});

describe("an argument that the schema of its tool wants in a header", () => {
  it.each([
    ["repeated", { "mcp-param-word": "reprise" }, 200],
    ["another word", { "mcp-param-word": "other" }, 400],
    ["missing", {}, 400],
  ])("is %s", async (_, more, status) => {
    const demo = await open({ mcp: { tools: [{ agent: "payer", tool: "lookup" }] } });
    const params = { name: "lookup", arguments: { word: "reprise" } };
    const { status: answered, body } = await ask(demo, "tools/call", params, {}, ALL, more);
    expect(answered).toBe(status);
    if (status === 200) expect(body.result).toMatchObject({ structuredContent: { meaning: "what reprise means" } });
    else expect(body.error?.code).toBe(-32020);
    expect((await demo.runtime.runs()).total).toBe(status === 200 ? 1 : 0);
  });
});

describe("a session of 2025-11-25", () => {
  it("has a run continue the trace that the metadata of its call names", async () => {
    const demo = await open();
    const headers = await openSession(demo);
    const trace = {
      traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
      tracestate: "rojo=1",
    };
    await (await demo.post("/mcp", call(1, "writer", "hi", { _meta: trace }), headers)).text();
    const { items } = await (await demo.ask("/v1/runs", { headers: { authorization: ALL } })).json();
    expect(items).toMatchObject([trace]);
  });

  it("reads a call on from any event, without gap or repeat", async () => {
    const demo = await open();
    const headers = await openSession(demo);
    const whole = await (
      await demo.post("/mcp", call(1, "writer", "hi", { _meta: { progressToken: 1 } }), headers)
    ).text();
    const frames = whole.split("\n\n").filter((frame) => frame.startsWith("id: "));
    expect(frames.length).toBeGreaterThan(1);
    for (const [at, frame] of frames.entries()) {
      const lastId = frame.slice("id: ".length, frame.indexOf("\n"));
      const rest = await demo.ask("/mcp", { headers: { ...headers, "last-event-id": lastId } });
      const read = (await rest.text()).split("\n\n").filter((each) => each.startsWith("id: "));
      expect(read).toEqual(frames.slice(at + 1));
    }
  });

  it("reads a call on where a run below asked, with its answer, and is not asked again", async () => {
    const demo = await open({ agents: teamAgents() });
    const headers = await openSession(demo);
    const stream = await demo.post("/mcp", call(1, "boss", "go"), headers);
    const reader = (stream.body ?? new ReadableStream()).getReader();
    const heard = await readUntil(reader, (text) => text.includes("elicitation/create") && text.endsWith("\n\n"));
    await reader.cancel();
    const eventId = [...heard.matchAll(/^id: (.*)$/gm)].at(-1)?.[1] ?? "";
    const question = readLast(heard.trimEnd()) as Told & { readonly id?: string };
    const result = { action: "accept", content: { approve: true } };
    expect((await demo.post("/mcp", { jsonrpc: "2.0", id: question.id, result }, headers)).status).toBe(202);
    const rest = await (await demo.ask("/mcp", { headers: { ...headers, "last-event-id": eventId } })).text();
    expect(rest).not.toContain("elicitation/create");
    expect(readLast(rest).result).toMatchObject({ structuredContent: { text: "All is paid." } });
  });

  it("makes one run of a request that is sent again", async () => {
    const demo = await open();
    const headers = await openSession(demo);
    const first = readLast(await (await demo.post("/mcp", call(1, "writer", "hi"), headers)).text());
    const second = readLast(await (await demo.post("/mcp", call(1, "writer", "hi"), headers)).text());
    expect(second).toEqual(first);
    expect((await demo.runtime.runs()).total).toBe(1);
  });

  it("makes a task of a call when it is asked to, and waits for its result", async () => {
    const demo = await open();
    const headers = await openSession(demo);
    const begun = await (await demo.post("/mcp", call(1, "slow", "go", { task: { ttl: 1_000 } }), headers)).json();
    expect(begun).toMatchObject({ result: { task: { status: "working", pollInterval: expect.any(Number) } } });
    const { taskId } = begun.result.task;
    const rpc = (id: number, method: string) =>
      demo.post("/mcp", { jsonrpc: "2.0", id, method, params: { taskId } }, headers);
    expect(await (await rpc(2, "tasks/get")).json()).toMatchObject({ result: { taskId, status: "working" } });
    const waiting = rpc(3, "tasks/result");
    demo.brake.release();
    const { result } = readLast(await (await waiting).text());
    expect(result).toMatchObject({
      structuredContent: { text: "Done: waited" },
      _meta: { "io.modelcontextprotocol/related-task": { taskId } },
    });
    expect(await (await rpc(4, "tasks/get")).json()).toMatchObject({ result: { status: "completed" } });
  });

  it("is over for everybody when it is deleted, and never was for another principal", async () => {
    const demo = await open();
    const headers = await openSession(demo);
    const list = (given: Record<string, string>) =>
      demo.post("/mcp", { jsonrpc: "2.0", id: 1, method: "tools/list" }, given).then(({ status }) => status);
    expect(await list({ ...headers, authorization: "mallory:run,read,decide" })).toBe(404);
    expect(await list({ ...headers, authorization: "alice@other:run,read,decide" })).toBe(404);
    expect(await list(headers)).toBe(200);
    const listen = (given: Record<string, string>) => demo.ask("/mcp", { headers: given }).then(({ status }) => status);
    expect(await listen({ ...headers, authorization: "mallory:run,read,decide" })).toBe(404);
    expect(await listen({ ...headers, authorization: "alice@other:run,read,decide" })).toBe(404);
    expect(await listen({ authorization: ALL })).toBe(400);
    expect((await demo.ask("/mcp", { method: "DELETE", headers })).status).toBe(204);
    expect(await list(headers)).toBe(404);
    expect(await list({ authorization: ALL })).toBe(400);
  });
});

describe("what a credential opens", () => {
  it("keeps the runs of tenants apart", async () => {
    const demo = await open();
    const begun = await ask(demo, "tools/call", { name: "slow", arguments: { input: "go" } }, TASKS);
    const taskId = begun.body.result?.taskId ?? "";
    for (const method of ["tasks/get", "tasks/cancel", "tasks/update"]) {
      const { body } = await ask(demo, method, { taskId, inputResponses: {} }, TASKS, "eve@other:run,read,decide");
      expect([method, body.error?.code]).toEqual([method, -32602]);
    }
    expect(demo.brake.state.cancelled).toBe(0);
  });

  it("gives a session of another tenant no task, no stream and no question, and a call without one no state", async () => {
    const demo = await open();
    const alice = await openSession(demo);
    const eve = await openSession(demo, "eve@other:run,read,decide");
    const asked = await demo.post("/mcp", call(7, "payer", "Ada"), alice);
    const reader = asked.body?.getReader();
    if (reader === undefined) throw new Error("There is no body.");
    const heard = await readUntil(reader, (text) => /elicitation\/create.*\n\n/.test(text));
    await reader.cancel();
    const eventId = [...heard.matchAll(/^id: (.*)$/gm)].at(-1)?.[1] ?? "";
    const question = readLast(heard.trimEnd()) as Told & { readonly id?: string };
    const [run] = (await demo.runtime.runs()).items;
    const look = async (): Promise<unknown> => [await demo.runtime.runs(), await demo.runtime.decisions.list()];
    const before = await look();

    for (const method of ["tasks/get", "tasks/result", "tasks/cancel"]) {
      const request = { jsonrpc: "2.0", id: 1, method, params: { taskId: run?.run_id } };
      const answered = readLast(await (await demo.post("/mcp", request, eve)).text());
      expect([method, answered.error?.code]).toEqual([method, -32602]);
    }
    const stream = await demo.ask("/mcp", { headers: { ...eve, "last-event-id": eventId } });
    expect([stream.status, await stream.json()]).toEqual([400, { error: "bad request: Last-Event-ID is unknown" }]);
    const result = { action: "accept", content: { approve: true } };
    expect((await demo.post("/mcp", { jsonrpc: "2.0", id: question.id, result }, eve)).status).toBe(202);
    const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 7 } };
    expect((await demo.post("/mcp", cancelled, eve)).status).toBe(202);
    const mine = await ask(demo, "tools/call", { name: "payer", arguments: { input: "Bob" } }, FORMS);
    const { requestState, inputRequests = {} } = mine.body.result ?? {};
    const inputResponses = Object.fromEntries(Object.keys(inputRequests).map((key) => [key, result]));
    const params = { name: "payer", arguments: { input: "Bob" }, requestState, inputResponses };
    const stolen = await ask(demo, "tools/call", params, FORMS, "eve@other:run,read,decide");
    expect(stolen.body.error?.code).toBe(-32602);

    const [runs, decisions] = (await look()) as [{ items: object[] }, object[]];
    expect([runs.items.length, decisions.length]).toEqual([2, 2]);
    expect(before).toMatchObject([{ items: [runs.items.at(-1)] }, [expect.anything()]]);
  });

  it.each([
    ["read", "tools/call", { name: "writer", arguments: { input: "hi" } }, "run"],
    ["run", "tasks/get", { taskId: "x" }, "read"],
    ["read", "tasks/cancel", { taskId: "x" }, "run"],
    ["run,read", "tasks/update", { taskId: "x", inputResponses: {} }, "decide"],
    ["run,read", "tools/call", { name: "writer", requestState: "x", inputResponses: {} }, "decide"],
    ["run,decide", "tools/call", { name: "writer", requestState: "x", inputResponses: {} }, "read"],
  ])("%s is not enough for %s", async (scopes, method, params, missing) => {
    const { status, body } = await ask(await open(), method, params, TASKS, `p:${scopes}`);
    expect([status, body]).toEqual([403, { error: `forbidden: this needs the scope ${missing}` }]);
  });

  it("makes no task for a credential that could not read it, and asks nobody who may not decide", async () => {
    const demo = await open();
    const params = { name: "payer", arguments: { input: "Ada" } };
    const { body } = await ask(demo, "tools/call", params, { ...TASKS, ...FORMS }, "p:run");
    expect(body.result).toMatchObject({ resultType: "complete", isError: true });
    expect(JSON.stringify(body.result)).toContain("needs the decision of a person");
  });

  it("shows the agents that it is told to, and no others", async () => {
    const demo = await open({ mcp: { agents: ["writer"], tools: [{ agent: "payer", tool: "wire" }] } });
    const { body } = await ask(demo, "tools/list", {}, {});
    expect(body.result?.tools).toMatchObject([{ name: "wire" }, { name: "writer" }]);
    const { body: hidden } = await ask(demo, "tools/call", { name: "payer", arguments: { input: "x" } }, {});
    expect(hidden.error?.code).toBe(-32602);
  });
});
