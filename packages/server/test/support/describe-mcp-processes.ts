import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { resultFromTaskOutcome } from "@modelcontextprotocol/ext-tasks/client";
import { expect, it, onTestFinished } from "vitest";
import { createTemporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { type Answer, MCP_CLIENTS, overHttp } from "./mcp-clients.ts";
import { openTaskSession } from "./mcp-task-sessions.ts";
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

/** What must hold of MCP servers that are processes, wherever their threads live, for the official clients. */
export function describeMcpProcesses(placeOf: () => string): void {
  it.each(MCP_CLIENTS)(
    "%s calls agents and tools of a process, sees progress, is asked and gets structured output",
    async (_, connect) => {
      const go = join(createTemporaryFolder(), "go");
      const { url } = await open(placeOf(), go);
      const asked: string[] = [];
      const ask = (message: string): Answer => {
        asked.push(message);
        return { action: "accept", content: { approve: true } };
      };
      const client = await connect(overHttp(new URL(`${url}/mcp`)), { ask });
      const names = (await client.list()).map(({ name }) => name);
      expect(names).toEqual(["counter", "lookup", "payer", "slow", "writer"]);
      expect(await client.call("counter", { input: "count" })).toMatchObject({ structuredContent: { count: 3 } });
      const found = await client.call("lookup", { word: "reprise" });
      expect(found).toMatchObject({ structuredContent: { meaning: "what reprise means" } });
      // In a header it is in base64.
      expect(await client.call("lookup", { word: "Größe " })).toMatchObject({
        structuredContent: { meaning: "what Größe  means" },
      });
      const paid = await client.call("payer", { input: "Ada" });
      expect(paid).toMatchObject({ structuredContent: { text: "Done: sent to Ada" } });
      expect(asked).toEqual([expect.stringContaining('wire({"to":"Ada"})')]);
      const shown: (string | undefined)[] = [];
      const onprogress = ({ message }: { message?: string | undefined }): void => {
        shown.push(message);
        if (message === "Half way.") writeFileSync(go, "");
      };
      const slow = await client.call("slow", { input: "go" }, { onprogress });
      expect(slow).toMatchObject({ structuredContent: { text: "Done." } });
      expect(shown).toEqual(expect.arrayContaining(["Calling wait.", "Half way."]));
    },
    60_000,
  );

  it.each(["legacy", "modern"] as const)(
    "a task of the official requester (%s) is taken up in another process after kill -9",
    async (era) => {
      const [place, go] = [placeOf(), join(createTemporaryFolder(), "go")];
      const first = await open(place, go);
      const before = await openTaskSession(first.url, era);
      const declaration = { name: "slow", inputSchema: { type: "object" }, taskSupport: "optional" } as const;
      const begun = await before.callTool("slow", { input: "go" }, { declaration, task: { preference: "prefer" } });
      if (begun.kind !== "task") throw new Error("The call did not become a task.");
      const reference = begun.serializeReference();
      await first.kill();
      const second = await open(place, go);
      const after = await openTaskSession(second.url, era);
      const resumed = await after.resumeTask(reference, { declaration });
      writeFileSync(go, "");
      const { outcome } = await resumed.settle();
      expect(resultFromTaskOutcome(outcome)).toMatchObject({ content: [{ type: "text", text: "Done." }] });
    },
    120_000,
  );
}

/** The same of calls that a process left when it was killed. */
export function describeMcpRestarts(placeOf: () => string): void {
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
