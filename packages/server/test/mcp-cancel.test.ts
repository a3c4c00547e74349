import { serveMcpLines } from "@reprise/server";
import { expect, it } from "vitest";
import { mcpAgents } from "./support/mcp-agents.ts";
import { openDemo } from "./support/open-demo.ts";

const MODERN = "2026-07-28";

/** A call of an agent that takes its time, by a client of 2026-07-28 that can follow tasks. */
function slowCall(capabilities: object): object {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": capabilities,
  };
  const params = { name: "slow", arguments: { input: "go" }, _meta };
  return { jsonrpc: "2.0", id: 1, method: "tools/call", params };
}

const TASKS = { extensions: { "io.modelcontextprotocol/tasks": {} } };
const HEADERS = {
  "content-type": "application/json",
  "mcp-protocol-version": MODERN,
  "mcp-method": "tools/call",
  "mcp-name": "slow",
};

async function open() {
  const { agents, brake } = mcpAgents();
  return { ...(await openDemo({ agents, mcp: { taskAfterMs: 60_000 } })), brake };
}

it("cancels the run of a call whose client went away before it became a task", async () => {
  const { ask, brake, runtime } = await open();
  const leaving = new AbortController();
  const init = { method: "POST", headers: HEADERS, body: JSON.stringify(slowCall(TASKS)), signal: leaving.signal };
  const answered = ask("/mcp", init).catch(() => undefined);
  await expect.poll(() => brake.state.started).toBe(1);
  leaving.abort();
  await expect.poll(() => brake.state.cancelled).toBe(1);
  await answered;
  const [run] = (await runtime.runs()).items;
  expect(await (await runtime.run(run?.run_id ?? "")).outcome()).toMatchObject({ status: "cancelled" });
});

it("cancels no run when the server ends while a client waits for its task", async () => {
  const { ask, brake, server } = await open();
  const leaving = new AbortController();
  const init = { method: "POST", headers: HEADERS, body: JSON.stringify(slowCall(TASKS)), signal: leaving.signal };
  const answered = ask("/mcp", init).catch(() => undefined);
  await expect.poll(() => brake.state.started).toBe(1);
  server.close();
  leaving.abort();
  brake.release();
  await answered;
  expect(brake.state.cancelled).toBe(0);
});

/** A client over lines that says some lines and no more. What it hears is kept. */
function speakLines(runtime: Parameters<typeof serveMcpLines>[0]["runtime"], said: readonly object[]) {
  const heard: { readonly id?: unknown; readonly result?: object }[] = [];
  const lines = new TransformStream<string, string>();
  const writer = lines.writable.getWriter();
  const problems: unknown[] = [];
  void serveMcpLines({
    runtime,
    serving: { taskAfterMs: 60_000 },
    lines: lines.readable,
    write: (line) => void heard.push(JSON.parse(line)),
    report: (error) => void problems.push(error),
  });
  for (const message of said) void writer.write(JSON.stringify(message));
  const say = (message: object): Promise<void> => writer.write(JSON.stringify(message));
  return { heard, problems, say };
}

const CANCEL = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } };
const INITIALIZE = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } },
};
const LEGACY = {
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name: "slow", arguments: { input: "go" } },
};

it.each([
  ["of 2025", [INITIALIZE, LEGACY]],
  ["of 2026-07-28", [slowCall({})]],
  ["of 2026-07-28 that could become a task", [slowCall(TASKS)]],
])("cancels a call %s over lines that is cancelled before its run began, and does not answer it", async (_, said) => {
  const { runtime } = await open();
  const { heard, problems } = speakLines(runtime, [...said, CANCEL]);
  await expect
    .poll(async () => (await runtime.runs()).items.map(({ termination_code: code }) => code))
    .toEqual(["cancelled"]);
  expect(heard.filter(({ id }) => id === 1)).toEqual([]);
  expect(problems).toEqual([]);
});

it("waits for the result of a task no longer, and leaves the task as it is, when that request is cancelled", async () => {
  const { runtime, brake } = await open();
  const task = { ...LEGACY, params: { ...LEGACY.params, task: {} } };
  const { heard, say } = speakLines(runtime, [INITIALIZE, task]);
  const begun = (): object | undefined => heard.find(({ id }) => id === 1)?.result;
  await expect.poll(begun).toMatchObject({ task: { taskId: expect.any(String) } });
  const { task: made } = begun() as { readonly task: { readonly taskId: string } };
  const { taskId } = made;
  await say({ jsonrpc: "2.0", id: 2, method: "tasks/result", params: { taskId } });
  await say({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 2 } });
  await expect.poll(() => brake.state.started).toBe(1);
  brake.release();
  expect(await (await runtime.run(taskId)).outcome()).toMatchObject({ status: "done" });
  expect([brake.state.cancelled, heard.filter(({ id }) => id === 2)]).toEqual([0, []]);
});
