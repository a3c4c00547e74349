import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as Transport1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { expect, it, onTestFinished } from "vitest";
import { AGENTS, createModuleFolder } from "./support/module-folder.ts";

const MAIN = join(import.meta.dirname, "../src/main.ts");
const INFO = { name: "test", version: "1.0.0" };
const YES = { action: "accept" as const, content: { approve: true } };

interface Opened {
  call(name: string): Promise<{ readonly content?: unknown }>;
}

/** How a client starts the server: as its configuration says. */
function program(files: Readonly<Record<string, string>> = {}) {
  const module = `${AGENTS}\nconsole.log("what a module prints is no message");`;
  const cwd = createModuleFolder({ "agents.ts": module, ...files });
  const config = "reprise.json" in files ? ["--config", "reprise.json"] : [];
  const args = ["--conditions=reprise-source", MAIN, "serve-mcp", "agents.ts", ...config];
  return { command: process.execPath, args, cwd };
}

const CLIENTS: readonly (readonly [string, () => Promise<Opened>])[] = [
  [
    "sdk 1.32",
    async () => {
      const client = new Client1(INFO, { capabilities: { elicitation: {} } });
      client.setRequestHandler(ElicitRequestSchema, async () => YES);
      await client.connect(new Transport1(program()) as never);
      onTestFinished(() => client.close());
      return { call: (name) => client.callTool({ name, arguments: { input: "go" } }) as Promise<{ content: unknown }> };
    },
  ],
  ...(["legacy", "modern"] as const).map((mode): readonly [string, () => Promise<Opened>] => [
    `client 2.4 (${mode})`,
    async () => {
      const client = new Client(INFO, {
        capabilities: { elicitation: { form: {} } },
        versionNegotiation: { mode: mode === "modern" ? { pin: "2026-07-28" } : "legacy" },
      });
      client.setRequestHandler("elicitation/create", async () => YES);
      await client.connect(new StdioClientTransport(program()));
      onTestFinished(() => client.close());
      return { call: (name) => client.callTool({ name, arguments: { input: "go" } }) };
    },
  ]),
];

it.each(CLIENTS)(
  "%s calls agents of a module over stdio, and approves",
  async (_, connect) => {
    const client = await connect();
    expect((await client.call("greeter")).content).toEqual([{ type: "text", text: "Hello from the module." }]);
    expect((await client.call("payer")).content).toEqual([{ type: "text", text: "It is paid." }]);
  },
  30_000,
);

it.each([
  ["everything where it says nothing", undefined, ["greeter", "payer"]],
  ["the agents that it names", { agents: ["greeter"] }, ["greeter"]],
  ["tools alone", { agents: [], tools: [{ agent: "payer", tool: "pay" }] }, ["pay"]],
  ["agents and tools", { agents: ["greeter"], tools: [{ agent: "payer", tool: "pay" }] }, ["greeter", "pay"]],
])(
  "shows what server.mcp of the configuration file selects: %s",
  async (_, mcp, names) => {
    const client = new Client(INFO, { capabilities: { elicitation: { form: {} } } });
    client.setRequestHandler("elicitation/create", async () => YES);
    await client.connect(
      new StdioClientTransport(program({ "reprise.json": JSON.stringify({ agents: [], server: { mcp } }) })),
    );
    onTestFinished(() => client.close());
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(names);
    if (names.includes("pay"))
      expect(await client.callTool({ name: "pay", arguments: {} })).toMatchObject({
        structuredContent: { paid: true },
      });
    if (!names.includes("payer"))
      await expect(client.callTool({ name: "payer", arguments: { input: "go" } })).rejects.toThrow("There is no tool");
  },
  30_000,
);
