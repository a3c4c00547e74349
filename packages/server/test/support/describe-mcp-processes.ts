import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createTemporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { readUntil } from "./read-stream.ts";
import { type DemoServer, startDemo } from "./start-demo.ts";

const VERSION = "2026-07-28";

async function open(place: string, go: string): Promise<DemoServer> {
  const server = await startDemo(place, { program: "serve-mcp.ts", variables: { GO: go } });
  onTestFinished(() => server.kill());
  return server;
}

function post(url: string, body: object, headers: Readonly<Record<string, string>> = {}, signal?: AbortSignal) {
  return fetch(`${url}/mcp`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
    body: JSON.stringify({ jsonrpc: "2.0", ...body }),
    ...(signal !== undefined && { signal }),
  });
}

/** A request of a client that can follow tasks. */
async function ask(url: string, method: string, name: string, params: object) {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": VERSION,
    "io.modelcontextprotocol/clientCapabilities": { extensions: { "io.modelcontextprotocol/tasks": {} } },
  };
  const headers = { "mcp-protocol-version": VERSION, "mcp-method": method, "mcp-name": name };
  const response = await post(url, { id: 1, method, params: { ...params, _meta } }, headers);
  const { result } = await response.json();
  return result;
}

const INITIALIZE = {
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } },
};

/** What must hold of MCP servers that are processes, wherever their threads live. */
export function describeMcpProcesses(placeOf: () => string): void {
  it("continues a task in another process after kill -9", async () => {
    const [place, go] = [placeOf(), join(createTemporaryFolder(), "go")];
    const first = await open(place, go);
    const task = await ask(first.url, "tools/call", "slow", { name: "slow", arguments: { input: "go" } });
    expect(task).toMatchObject({ resultType: "task", status: "working" });
    await first.kill();
    const second = await open(place, go);
    const get = () => ask(second.url, "tasks/get", task.taskId, { taskId: task.taskId });
    expect(await get()).toMatchObject({ status: "working" });
    writeFileSync(go, "");
    await expect.poll(async () => (await get()).status, { timeout: 60_000 }).toBe("completed");
    expect((await get()).result).toMatchObject({ content: [{ type: "text", text: "Done." }] });
  }, 120_000);

  it("lets a client of a session that lost its stream read on in another process", async () => {
    const [place, go] = [placeOf(), join(createTemporaryFolder(), "go")];
    const first = await open(place, go);
    const begun = await post(first.url, INITIALIZE);
    const headers = { "mcp-session-id": begun.headers.get("mcp-session-id") ?? "" };
    const params = { name: "slow", arguments: { input: "go" }, _meta: { progressToken: "p" } };
    const response = await post(first.url, { id: 7, method: "tools/call", params }, headers);
    const reader = response.body?.getReader();
    if (reader === undefined) throw new Error("There is no body.");
    const heard = await readUntil(reader, (text) => text.includes("Half way."));
    const lastId = [...heard.matchAll(/^id: (.*)$/gm)].at(-1)?.[1] ?? "";
    await first.kill();
    writeFileSync(go, "");
    const second = await open(place, go);
    const rest = await fetch(`${second.url}/mcp`, { headers: { ...headers, "last-event-id": lastId } });
    const frames = (await rest.text()).split("\n").filter((line) => line.startsWith("data: "));
    const messages = frames.map((line) => JSON.parse(line.slice("data: ".length)));
    expect(messages.at(-1)).toMatchObject({ id: 7, result: { content: [{ type: "text", text: "Done." }] } });
    expect(frames.join()).not.toContain("Calling wait.");
  }, 120_000);
}
