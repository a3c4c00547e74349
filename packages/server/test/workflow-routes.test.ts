import type { Json } from "@reprise/state";
import { expect, it } from "vitest";
import { demoAgents } from "./support/demo-agents.ts";
import { openDemo, openFrozenDemo, says } from "./support/open-demo.ts";
import { readFrames } from "./support/read-stream.ts";
import { documentOf, SUM, workflowAgents, workflowProgram } from "./support/workflow-demo.ts";

/** Every answer is checked against the OpenAPI document. */
async function open() {
  const agents = [...demoAgents(), ...workflowAgents()];
  const demo = await openFrozenDemo({ agents, programs: [workflowProgram()] });
  const get = async (path: string): Promise<Record<string, Json>> => (await demo.ask(path)).json();
  const send = async (path: string, body: object = {}): Promise<readonly [number, Record<string, Json>]> => {
    const response = await demo.post(path, body);
    return [response.status, await response.json()];
  };
  /** Starts a run and waits until it is over or waits. */
  const start = async (workflow: string, inputs: object): Promise<string> => {
    const [status, { run_id }] = await send(`/v1/workflows/${workflow}/runs`, { inputs });
    expect(status).toBe(202);
    await rest(String(run_id));
    return String(run_id);
  };
  const rest = async (runId: string): Promise<void> => {
    await (await demo.runtime.run(runId)).outcome();
  };
  return { ...demo, get, send, start, rest };
}

it("lists workflows, and shows one with its document and its graph", async () => {
  const { get, ask } = await open();
  const { items } = await get("/v1/workflows");
  expect(items).toMatchObject([
    { id: "release", name: "Release", version: "1.2.0", trigger: { type: "manual" }, nodes: 5 },
    { id: "sum", nodes: 2, inputs: [{ name: "numbers", type: "json", required: true }] },
  ]);
  const release = await get("/v1/workflows/release");
  expect(release).toMatchObject({
    document: { schema_version: "1.0", workflow: { id: "release" } },
    graph: {
      nodes: [{ id: "title", dependencies: [] }, { id: "approve" }, { id: "notes" }, { id: "deployed" }, { id: "out" }],
    },
  });
  const missing = await ask("/v1/workflows/assistant");
  expect([missing.status, missing.headers.get("x-reprise-error"), await missing.json()]).toEqual([
    404,
    "WORKFLOW_NOT_FOUND",
    { error: "workflow not found: assistant" },
  ]);
});

it("tells when a schedule fires next, and whether a webhook can be checked", async () => {
  const scheduled = (id: string, cron: string) =>
    documentOf({ id, trigger: { type: "schedule", cron, timezone: "Europe/Berlin" }, nodes: SUM.workflow.nodes });
  const hooked = documentOf({
    id: "hooked",
    trigger: { type: "webhook", secret: "HOOK_SECRET" },
    nodes: SUM.workflow.nodes,
  });
  const agents = [...demoAgents(), ...workflowAgents(scheduled("nightly", "30 2 * * *"), hooked)];
  const open = (secret: (name: string) => string | undefined) =>
    openFrozenDemo({ agents, programs: [workflowProgram()], secret });
  const demo = await open((name) => (name === "HOOK_SECRET" ? "s" : undefined));
  const { next_times } = await (await demo.ask("/v1/workflows/nightly")).json();
  const now = demo.runtime.now();
  expect(next_times).toHaveLength(3);
  expect(next_times[0]).toBeGreaterThan(now);
  expect(next_times[1] - next_times[0]).toBeGreaterThanOrEqual(23 * 3_600_000);
  const clock = new Intl.DateTimeFormat("en-GB", { timeStyle: "short", timeZone: "Europe/Berlin" });
  expect(clock.format(next_times[0])).toBe("02:30");
  expect(await (await demo.ask("/v1/workflows/hooked")).json()).toMatchObject({ is_webhook_ready: true });
  const bare = await open(() => undefined);
  expect(await (await bare.ask("/v1/workflows/hooked")).json()).toMatchObject({ is_webhook_ready: false });
});

it("shows the document that a run keeps, when it is asked for", async () => {
  const { start, get } = await open();
  const id = await start("sum", { numbers: [1] });
  expect(await get(`/v1/workflow-runs/${id}`)).not.toHaveProperty("workflow");
  expect(await get(`/v1/workflow-runs/${id}?workflow=true`)).toMatchObject({
    workflow: { id: "sum", nodes: [{ id: "total", expression: expect.any(String) }, { id: "out" }] },
    graph: {
      nodes: [
        { id: "total", dependencies: [] },
        { id: "out", dependencies: [{ on: "total", kind: "authored" }] },
      ],
    },
  });
});

it("runs a workflow and shows how its nodes stand", async () => {
  const { start, get } = await open();
  const id = await start("sum", { numbers: [1, 2, 3] });
  expect(await get(`/v1/workflow-runs/${id}`)).toMatchObject({
    run_id: id,
    workflow_id: "sum",
    status: "done",
    inputs: { numbers: [1, 2, 3] },
    // Of the document that the run keeps, whatever is served today.
    graph: { nodes: [{ id: "total" }, { id: "out", dependencies: [{ on: "total", kind: "authored" }] }] },
    nodes: [
      { node_id: "total", status: "completed", output: 6, attempt: 1 },
      { node_id: "out", status: "completed", output: 6 },
    ],
    outputs: { out: 6 },
    questions: [],
  });
});

it("refuses inputs with every problem at once, and starts nothing", async () => {
  const { post, get } = await open();
  const response = await post("/v1/workflows/release/runs", { inputs: { copies: 0, versoin: "1" } });
  expect([response.status, response.headers.get("x-reprise-error")]).toEqual([400, "WORKFLOW_INPUTS_INVALID"]);
  const { error } = await response.json();
  for (const part of ["inputs.versoin is not known", "inputs.version is required", "inputs.copies must be at least 1"])
    expect(error).toContain(part);
  expect(await get("/v1/workflow-runs")).toMatchObject({ total: 0 });
});

it("starts one run for requests with the same Idempotency-Key", async () => {
  const { post, get } = await open();
  const again = async () =>
    (await post("/v1/workflows/sum/runs", { inputs: { numbers: [1] } }, { "idempotency-key": "k" })).json();
  expect(await again()).toEqual(await again());
  expect(await get("/v1/workflow-runs")).toMatchObject({ total: 1 });
});

it("answers gates by node and by call, sends the event, and comes to its end", async () => {
  const { start, get, send, rest } = await open();
  const id = await start("release", { version: "2.0" });
  const path = `/v1/workflow-runs/${id}`;
  expect(await get(path)).toMatchObject({
    status: "waiting",
    questions: [{ node_id: "approve", action: "gate:approval", message: "Release 2.0?", assignee: "ann" }],
  });
  expect(await send(`${path}/events/deployed`)).toMatchObject([
    409,
    { error: expect.stringContaining("waits for no event") },
  ]);
  expect(await send(`${path}/gates/approve`, { decision: "input_provided", payload: 1 })).toMatchObject([400, {}]);
  const [status, decision] = await send(`${path}/gates/approve`, { decision: "approved", comment: "Fine." });
  expect([status, decision]).toMatchObject([202, { run_id: id, action: "resume", reason: "Fine." }]);
  // The same again is the same decision, and another one comes too late.
  expect(await send(`${path}/gates/approve`, { decision: "approved", comment: "Fine." })).toEqual([202, decision]);
  expect(await send(`${path}/gates/approve`, { decision: "rejected" })).toMatchObject([409, { decision }]);
  await rest(id);

  const { questions } = await get(path);
  expect(questions).toMatchObject([{ node_id: "notes", action: "gate:input" }]);
  const [{ call_id = "" } = {}] = questions as readonly { readonly call_id?: string }[];
  expect(await send(`${path}/gates/${call_id}`, { decision: "input_provided", payload: { words: 1 } })).toMatchObject([
    400,
    { error: expect.stringContaining("text") },
  ]);
  expect(
    await send(`${path}/gates/${call_id}`, { decision: "input_provided", payload: { text: "New." } }),
  ).toMatchObject([202, { result: { text: "New." } }]);
  await rest(id);

  expect(await send(`${path}/events/rolled_back`)).toMatchObject([
    409,
    { error: expect.stringContaining("It waits for deployed") },
  ]);
  expect(await send(`${path}/events/deployed`, { payload: { at: "eu" } })).toEqual([
    202,
    { run_id: id, calls: [expect.any(String)] },
  ]);
  await rest(id);
  expect(await get(path)).toMatchObject({ status: "done", outputs: { out: { at: "eu" } }, questions: [] });
  expect(await send(`${path}/gates/none`, { decision: "approved" })).toMatchObject([
    404,
    { error: "call not found: none" },
  ]);
});

it("lists the runs of all workflows newest first, in pages, by workflow and by status", async () => {
  const { start, get } = await open();
  const ids: string[] = [];
  for (const version of ["1", "2"]) {
    ids.unshift(await start("release", { version }));
    ids.unshift(await start("sum", { numbers: [] }));
  }
  const listed = async (query: string): Promise<readonly unknown[]> => {
    const { items } = await get(`/v1/workflow-runs?${query}`);
    return (items as readonly { readonly run_id: string }[]).map(({ run_id }) => run_id);
  };
  expect((await listed("")).toSorted()).toEqual(ids.toSorted());
  const pages = [await listed("limit=3"), await listed("limit=3&offset=3")];
  expect(pages.map(({ length }) => length)).toEqual([3, 1]);
  expect(pages.flat()).toEqual(await listed(""));
  expect(await listed("workflow_id=release")).toHaveLength(2);
  expect(await listed("status=waiting")).toHaveLength(2);
  expect(await listed("workflow_id=sum&status=waiting")).toEqual([]);
});

it("restarts a run from a node and keeps what comes before it", async () => {
  const { start, get, send, rest, post } = await open();
  const id = await start("release", { version: "3", token: "RELEASE_TOKEN" });
  const path = `/v1/workflow-runs/${id}`;
  expect(await send(`${path}/restart`, { from: "notes" })).toMatchObject([409, {}]);
  await send(`${path}/gates/approve`, { decision: "approved" });
  await rest(id);
  expect((await post(`${path}/cancel`)).status).toBe(202);
  await rest(id);
  expect(await send(`${path}/restart`, { from: "nots" })).toMatchObject([
    400,
    { error: expect.stringContaining('no node "nots"') },
  ]);
  const [status, { run_id, restarted_run_id }] = await send(`${path}/restart`, { from: "notes" });
  expect([status, restarted_run_id]).toEqual([202, id]);
  await rest(String(run_id));
  const again = await get(`/v1/workflow-runs/${run_id}`);
  expect(again).toMatchObject({
    inputs: { version: "3", token: { secret: true } },
    metadata: { restarted_run_id: id, restarted_from: "notes" },
    questions: [{ node_id: "notes" }],
  });
  expect(JSON.stringify(again.nodes)).toContain('"node_id":"approve","status":"completed"');
});

it("streams events that name nodes, and takes them up again", async () => {
  const { start, ask } = await open();
  const id = await start("sum", { numbers: [2] });
  const frames = await readFrames(await ask(`/v1/workflow-runs/${id}/events`));
  const types = frames.map(({ event }) => event.type);
  expect(types.filter((type) => type.startsWith("node_") || type.startsWith("workflow_"))).toEqual([
    "workflow_start",
    "node_start",
    "node_end",
    "node_start",
    "node_end",
  ]);
  const middle = Math.floor(frames.length / 2);
  const rest = await readFrames(await ask(`/v1/workflow-runs/${id}/events?after=${frames[middle]?.id ?? ""}`));
  expect(rest).toEqual(frames.slice(middle + 1));
});

it("streams events with colons and their numbers, also from the middle", async () => {
  const { start, ask } = await open();
  const id = await start("sum", { numbers: [2] });
  const read = async (query: string) => {
    const blocks = (await (await ask(`/v1/workflow-runs/${id}/events?format=colon${query}`)).text()).split("\n\n");
    const told = blocks.filter((block) => block.includes("data: "));
    return told.map((block) => ({
      id: /^id: (.*)$/m.exec(block)?.[1],
      ...(JSON.parse(/^data: (.*)$/m.exec(block)?.[1] ?? "") as {
        readonly type: string;
        readonly sequenceNumber: number;
      }),
    }));
  };
  const all = await read("");
  expect(all.map(({ type }) => type)).toEqual([
    "run:started",
    "node:started",
    "node:completed",
    "node:started",
    "node:completed",
    "run:completed",
  ]);
  expect(all.map(({ sequenceNumber }) => sequenceNumber)).toEqual(
    all.map((_, index) => index + (all[0]?.sequenceNumber ?? 0)),
  );
  expect(await read(`&after=${all[2]?.id ?? ""}`)).toEqual(all.slice(3));
  expect((await ask(`/v1/runs/${id}/events?format=colon`)).status).toBe(400);
});

it("shows a gate to MCP clients as input_required", async () => {
  const { post } = await openDemo({ agents: workflowAgents(), programs: [workflowProgram()] });
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } },
  };
  const params = { name: "release", arguments: { input: "5.0" }, _meta };
  const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "release" };
  const text = await (await post("/mcp", { jsonrpc: "2.0", id: 1, method: "tools/call", params }, headers)).text();
  const last = text.split("\n").findLast((line) => line.startsWith("data: "));
  expect(JSON.parse(last?.slice("data: ".length) ?? text)).toMatchObject({ result: { resultType: "input_required" } });
  expect(text).toContain("Release 5.0?");
});

it("shows the state that an earlier run of the thread ended with", async () => {
  const { post, rest, get } = await open();
  const ids: string[] = [];
  for (const numbers of [[1], [2], [3]]) {
    const { run_id } = await (await post("/v1/workflows/sum/runs", { inputs: { numbers }, thread_id: "t" })).json();
    await rest(run_id);
    ids.push(run_id);
  }
  const outputs = await Promise.all(ids.map(async (id) => (await get(`/v1/workflow-runs/${id}`)).outputs));
  expect(outputs).toEqual([{ out: 1 }, { out: 2 }, { out: 3 }]);
});

it("has no workflow run where another agent ran", async () => {
  const { post, ask } = await openDemo({
    agents: [...demoAgents(), ...workflowAgents()],
    programs: [workflowProgram()],
  });
  await (await post("/v1/runs", says("hello", { runId: "r" }))).text();
  const answers = await Promise.all([
    ask("/v1/workflow-runs/r"),
    ask("/v1/workflow-runs/r/events"),
    post("/v1/workflow-runs/r/cancel"),
    post("/v1/workflow-runs/r/gates/x", { decision: "approved" }),
    post("/v1/workflow-runs/r/events/x", {}),
    post("/v1/workflow-runs/r/restart", { from: "x" }),
  ]);
  for (const response of answers)
    expect([response.status, await response.json()]).toEqual([404, { error: "run not found: r" }]);
});

it("shows a gate as input-required to A2A clients and as an open decision to everybody", async () => {
  const { start, get, ask } = await open();
  const id = await start("release", { version: "4" });
  const { items } = await get(`/v1/decisions?run_id=${id}`);
  expect(items).toMatchObject([
    { tool_id: "reprise/program", ticket: { suspension: { action: "gate:approval", message: "Release 4?" } } },
  ]);
  const task = await (await ask(`/v1/a2a/agents/release/tasks/${id}`, { headers: { "a2a-version": "1.0" } })).json();
  expect(task).toMatchObject({ id, status: { state: "TASK_STATE_INPUT_REQUIRED" } });
});
