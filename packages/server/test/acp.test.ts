import { type AnyMessage, client, type McpServer, methods, type SessionNotification } from "@agentclientprotocol/sdk";
import { scriptedModel } from "@reprise/models";
import { defineAgent } from "@reprise/runtime";
import { connectAcp, type EditorServer, type EditorServers } from "@reprise/server/acp";
import { createRuntime, memory } from "reprise";
import { expect, it, onTestFinished } from "vitest";
import { ACP_NOT_SERVED } from "../../protocols/test/support/acp-unused.ts";

const SMALL = { id: "small", provider: "p", model: "small-1", contextWindow: 8_000, pricing: { inputPerMillion: 2 } };
const LARGE = { ...SMALL, id: "large", model: "large-1", contextWindow: 100_000 };

/** A runtime with a model for each id of its provider, and the official client connected to it in this process. */
async function openEditor(clientCapabilities: object = {}, editorServers?: EditorServers) {
  const turn = [{ text: "Hi." }, { usage: { promptTokens: 90, completionTokens: 10, totalTokens: 100 } }];
  const asked: string[] = [];
  const provider = {
    id: "p",
    model: (name: string) =>
      scriptedModel(() => {
        asked.push(name);
        return turn;
      }, `p/${name}`),
  };
  const runtime = await createRuntime({
    agents: [
      defineAgent({ id: "one", model: "small", clientOverrides: true }),
      defineAgent({ id: "two", model: "large" }),
    ],
    models: [SMALL, LARGE],
    providers: [provider],
    store: memory(),
  });
  onTestFinished(() => runtime.close());
  const toClient = new TransformStream<AnyMessage, AnyMessage>();
  const writer = toClient.writable.getWriter();
  const connection = connectAcp({
    runtime,
    version: "0",
    write: (line) => writer.write(JSON.parse(line)),
    ...(editorServers !== undefined && { editorServers }),
  });
  const writable = new WritableStream<AnyMessage>({ write: (sent) => connection.receive(JSON.stringify(sent)) });
  const updates: SessionNotification["update"][] = [];
  const app = client().onNotification(methods.client.session.update, ({ params }) => void updates.push(params.update));
  const { agent } = app.connect({ readable: toClient.readable, writable });
  await agent.request(methods.agent.initialize, { protocolVersion: 1, clientCapabilities });
  return { agent, updates, asked, runtime };
}

it("offers agents as modes and models as options, and uses the chosen ones", async () => {
  const { agent, updates, asked } = await openEditor();
  const created = await agent.request(methods.agent.session.new, { cwd: "/w", mcpServers: [] });
  const { sessionId } = created;
  expect(created.modes?.availableModes.map(({ id }) => id)).toEqual(["one", "two"]);
  expect(created.configOptions).toMatchObject([
    { id: "mode", category: "mode", currentValue: "one" },
    {
      id: "model",
      category: "model",
      currentValue: "small",
      options: expect.arrayContaining([{ value: "large", name: "large" }]),
    },
  ]);
  const choose = (configId: string, value: string) =>
    agent.request(methods.agent.session.setConfigOption, { sessionId, configId, value });
  const { configOptions } = await choose("model", "large");
  expect(configOptions).toMatchObject([{ id: "mode" }, { id: "model", currentValue: "large" }]);
  await agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: "text", text: "Hello" }] });
  expect(asked).toEqual(["large-1"]);
  const chosen = await choose("mode", "two");
  expect(chosen.configOptions.map(({ id }) => id)).toEqual(["mode"]);
  expect(updates).toContainEqual({ sessionUpdate: "current_mode_update", currentModeId: "two" });
});

it.each(Object.keys(ACP_NOT_SERVED))("refuses the method %s, which it does not serve", async (method) => {
  const { agent } = await openEditor();
  await expect(agent.request(method, {})).rejects.toMatchObject({ code: -32601 });
  // And goes on.
  expect((await agent.request(methods.agent.session.list, {})).sessions).toEqual([]);
});

it("tells how full the window is and what the session costs, over all its runs", async () => {
  const { agent, updates } = await openEditor();
  const { sessionId } = await agent.request(methods.agent.session.new, { cwd: "/w", mcpServers: [] });
  for (const text of ["One", "Two"])
    await agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: "text", text }] });
  const usage = updates.filter(({ sessionUpdate }) => sessionUpdate === "usage_update");
  expect(usage).toEqual([
    { sessionUpdate: "usage_update", used: 100, size: 8_000, cost: { amount: 0.00018, currency: "USD" } },
    { sessionUpdate: "usage_update", used: 100, size: 8_000, cost: { amount: 0.00036, currency: "USD" } },
  ]);
});

it("tells a client that shows notices that its MCP servers are not used", async () => {
  const { agent, updates } = await openEditor({ session: { notices: {} } });
  const mcpServers = [{ name: "files", command: "/bin/files", args: [], env: [] }];
  await agent.request(methods.agent.session.new, { cwd: "/w", mcpServers });
  await agent.request(methods.agent.session.list, {});
  expect(updates).toMatchObject([{ sessionUpdate: "notice", severity: "warning" }]);
});

it("takes files of a prompt into the blob store, and refuses what is no base64", async () => {
  const { agent } = await openEditor();
  const { sessionId } = await agent.request(methods.agent.session.new, { cwd: "/w", mcpServers: [] });
  const send = (data: string) =>
    agent.request(methods.agent.session.prompt, {
      sessionId,
      prompt: [
        { type: "resource", resource: { uri: "file:///w/a.ts", text: "let a" } },
        { type: "resource_link", name: "b.ts", uri: "file:///w/b.ts" },
        { type: "resource", resource: { uri: "file:///w/c.bin", blob: data, mimeType: "application/pdf" } },
      ],
    });
  await expect(send("%")).rejects.toMatchObject({ code: -32602 });
});

/** Servers that bring nothing and note what becomes of them. */
function noteServers(log: unknown[]): EditorServers["open"] {
  return (_, servers: readonly EditorServer[]) => {
    log.push(["open", ...servers.map(({ name }) => name)]);
    return {
      agentFor: () => "two",
      connect: async () => ["The MCP server files: it does not answer"],
      close: async () => void log.push("close"),
    };
  };
}

it("runs prompts with the servers of a session, tells what is wrong with them, and lets them go with the session", async () => {
  const log: unknown[] = [];
  const { agent, updates, runtime } = await openEditor({ session: { notices: {} } }, { open: noteServers(log) });
  const files: McpServer = { name: "files", command: "/bin/files", args: [], env: [{ name: "KEY", value: "k" }] };
  const { sessionId } = await agent.request(methods.agent.session.new, { cwd: "/w", mcpServers: [files] });
  await agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: "text", text: "hi" }] });
  expect((await runtime.runs({ threadId: sessionId })).items).toMatchObject([{ agent_id: "two" }]);
  await expect.poll(() => updates.map(({ sessionUpdate }) => String(sessionUpdate))).toContain("notice");
  // The same servers stay; a session without them keeps its variant of the agent.
  await agent.request(methods.agent.session.load, { sessionId, cwd: "/w", mcpServers: [files] });
  await agent.request(methods.agent.session.resume, { sessionId, cwd: "/w", mcpServers: [] });
  await agent.request(methods.agent.session.close, { sessionId });
  expect(log).toEqual([["open", "files"], ["open"], "close", "close"]);
});

it("refuses commands where only addresses are allowed, and servers of other kinds anywhere, and makes no session", async () => {
  const { agent } = await openEditor({}, { open: noteServers([]), allowed: "http" });
  const create = (server: McpServer) => agent.request(methods.agent.session.new, { cwd: "/w", mcpServers: [server] });
  const command = create({ name: "files", command: "/bin/files", args: [], env: [] });
  await expect(command).rejects.toMatchObject({ code: -32602, data: { code: "MCP_SERVER_REFUSED", server: "files" } });
  await expect(create({ type: "sse", name: "old", url: "http://h/", headers: [] })).rejects.toMatchObject({
    code: -32602,
  });
  await expect(create({ type: "http", name: "x", url: "file:///x", headers: [] })).rejects.toMatchObject({
    code: -32602,
  });
  expect((await agent.request(methods.agent.session.list, {})).sessions).toEqual([]);
  await create({ type: "http", name: "web", url: "https://h/mcp", headers: [] });
  expect((await agent.request(methods.agent.session.list, {})).sessions).toHaveLength(1);
});
