import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type McpServer, methods, RequestError, type RequestPermissionResponse } from "@agentclientprotocol/sdk";
import { createRuntime, defineAgent, defineTool, memory, scriptedModel } from "reprise";
import { createServer } from "reprise/server";
import { listen } from "reprise/server/node";
import { expect, it, onTestFinished } from "vitest";
import { createModuleFolder } from "./support/module-folder.ts";
import { type Editor, type EditorOptions, openEditor } from "./support/open-editor.ts";

/** The agent calls the tool of the server that the editor brings. */
const AGENTS = `
import { defineAgent, scriptedModel } from "reprise";
import { permission } from "reprise/plugins/permission";
const play = (call) => scriptedModel(({ messages }) => messages.at(-1).role === "tool" ? "It says: " + JSON.stringify(messages.at(-1).content) : [{ call, arguments: { input: "shop" } }]);
export default {
  agents: [
    defineAgent({ id: "reader", model: play("mcp__My-notes__read") }),
    defineAgent({ id: "careful", model: play("mcp__My-notes__read"), plugins: [permission({ rules: [{ tool: "mcp__*", behavior: "ask" }] })] }),
    defineAgent({ id: "caller", model: play("mcp__remote__lookup") }),
  ],
};`;

/** A server with one tool, which tells a variable of its environment. Each start is noted in a file. */
const SERVER = `
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";
appendFileSync(new URL("./starts", import.meta.url), "+");
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "notes", version: "1" } }),
  "tools/list": () => ({ tools: [{ name: "read", description: "Reads a note.", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } }] }),
  "tools/call": () => ({ content: [{ type: "text", text: "milk, " + process.env.NOTE }] }),
};
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params = {} } = JSON.parse(line);
  const result = answers[method]?.(params);
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, ...(result ? { result } : { error: { code: -32601, message: "?" } }) }));
}`;

const select = (optionId: string): RequestPermissionResponse => ({ outcome: { outcome: "selected", optionId } });

async function open(cwd: string, words: readonly string[], options: Partial<EditorOptions> = {}): Promise<Editor> {
  const editor = await openEditor(["agents.ts", ...words], { cwd, ...options });
  onTestFinished(async () => void (await editor.close()));
  return editor;
}

function createProject(more: Readonly<Record<string, string>> = {}) {
  const cwd = createModuleFolder({ "agents.ts": AGENTS, "server.mjs": SERVER, ...more });
  const env = [{ name: "NOTE", value: "bread" }];
  const notes = { name: "My notes!", command: process.execPath, args: [join(cwd, "server.mjs")], env };
  const starts = () => (existsSync(join(cwd, "starts")) ? readFileSync(join(cwd, "starts"), "utf8").length : 0);
  return { cwd, notes, starts };
}

/** The type of `args` and `env` is what the client wants, which takes no readonly lists. */
const create = (agent: Editor["agent"], cwd: string, mcpServers: McpServer[]) =>
  agent.request(methods.agent.session.new, { cwd, mcpServers });

const prompt = [{ type: "text" as const, text: "Read it." }];

it("gives the agent of a session the tools of the servers that the editor brings, and of no other session", async () => {
  const { cwd, notes, starts } = createProject();
  const { agent, text } = await open(cwd, ["reader"]);
  const { sessionId } = await create(agent, cwd, [notes]);
  expect(await agent.request(methods.agent.session.prompt, { sessionId, prompt })).toEqual({ stopReason: "end_turn" });
  expect(text(sessionId)).toContain("milk, bread");
  const before = starts();
  expect(before).toBeGreaterThan(0);
  const other = await create(agent, cwd, []);
  expect(other.modes?.availableModes.map(({ id }) => id)).toEqual(["reader", "careful", "caller"]);
  await agent.request(methods.agent.session.prompt, { sessionId: other.sessionId, prompt });
  expect(text(other.sessionId)).not.toContain("milk");
  expect(starts()).toBe(before);
  await agent.request(methods.agent.session.close, { sessionId });
}, 120_000);

it("continues a run with the servers that the editor brings when it loads the session again, after kill -9", async () => {
  const { cwd, notes } = createProject();
  const { promise: asked, resolve } = Promise.withResolvers<void>();
  const first = await openEditor(["agents.ts", "careful"], {
    cwd,
    answer: () => {
      resolve();
      return new Promise<never>(() => undefined);
    },
  });
  const { sessionId } = await create(first.agent, cwd, [notes]);
  void first.agent.request(methods.agent.session.prompt, { sessionId, prompt }).catch(() => undefined);
  await asked;
  first.process.kill("SIGKILL");
  const second = await open(cwd, ["careful"], { answer: () => select("allow_once") });
  await second.agent.request(methods.agent.session.load, { sessionId, cwd, mcpServers: [notes] });
  await expect.poll(() => second.text(sessionId), { timeout: 30_000 }).toContain("milk, bread");
}, 180_000);

it("uses a server at an address, and refuses a command where the configuration allows only addresses", async () => {
  const lookup = defineTool({
    id: "lookup",
    description: "Looks up.",
    inputSchema: { type: "object", properties: { input: { type: "string" } } },
    class: "read_only",
    execute: () => ({ found: "a map" }),
  });
  const shop = defineAgent({ id: "shop", model: scriptedModel(["Hi."]), tools: [lookup] });
  const runtime = await createRuntime({ agents: [shop], store: memory() });
  const served = createServer({ runtime, mcp: { agents: [], tools: [{ agent: "shop", tool: "lookup" }] } });
  const { url, close } = await listen(served, { port: 0 });
  onTestFinished(async () => {
    await close();
    await runtime.close();
  });
  const { cwd, notes, starts } = createProject();
  writeFileSync(join(cwd, "reprise.json"), JSON.stringify({ server: { acp: { mcp_servers: "http" } } }));
  const { agent, text } = await open(cwd, ["caller", "--config", "reprise.json"]);
  const refused = await create(agent, cwd, [notes]).catch((error) => error);
  expect(refused).toBeInstanceOf(RequestError);
  expect(refused).toMatchObject({ code: -32602, data: { code: "MCP_SERVER_REFUSED", server: "My notes!" } });
  expect((await agent.request(methods.agent.session.list, {})).sessions).toEqual([]);
  const remote = { type: "http" as const, name: "remote", url: `${url}/mcp`, headers: [] };
  const { sessionId } = await create(agent, cwd, [remote]);
  await agent.request(methods.agent.session.prompt, { sessionId, prompt });
  expect(text(sessionId)).toContain("a map");
  expect(starts()).toBe(0);
}, 120_000);

it("tells the editor about a server that cannot be used, and works without it", async () => {
  const { cwd, notes } = createProject();
  const capabilities = { session: { notices: {} } };
  const { agent, text, updates } = await open(cwd, ["reader"], { capabilities });
  const broken = { ...notes, command: join(cwd, "missing") };
  const { sessionId } = await create(agent, cwd, [broken]);
  await agent.request(methods.agent.session.prompt, { sessionId, prompt });
  expect(text(sessionId)).toContain("It says:");
  const notices = () => updates(sessionId).filter(({ sessionUpdate }) => (sessionUpdate as string) === "notice");
  await expect.poll(notices, { timeout: 20_000 }).toMatchObject([{ title: expect.stringContaining("My-notes") }]);
  const sse = { type: "sse" as const, name: "old", url: "http://127.0.0.1:1/", headers: [] };
  const refused = create(agent, cwd, [sse]);
  await expect(refused).rejects.toMatchObject({ code: -32602 });
}, 120_000);
