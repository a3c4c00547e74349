import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as Transport1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import type { McpServing } from "@reprise/server";
import { describe, expect, it, onTestFinished } from "vitest";
import { mcpAgents } from "./support/mcp-agents.ts";
import { listenDemo, openDemo } from "./support/open-demo.ts";

const SERVING: McpServing = { tools: [{ agent: "payer", tool: "lookup" }] };

type Answer = { readonly action: "accept" | "decline" | "cancel"; readonly content?: Record<string, string | boolean> };
type Ask = (message: string) => Answer;

interface Opened {
  list(): Promise<readonly { readonly name: string }[]>;
  call(
    name: string,
    given: Record<string, string>,
    options?: {
      readonly signal?: AbortSignal;
      readonly onprogress?: (progress: { message?: string | undefined }) => void;
    },
  ): Promise<{ content?: unknown; structuredContent?: unknown; isError?: unknown; _meta?: unknown }>;
}

async function serve(options: Parameters<typeof openDemo>[0] = {}) {
  const { agents, brake } = mcpAgents();
  const demo = await openDemo({ agents, mcp: SERVING, ...options });
  const { url } = await listenDemo(demo.server);
  return { ...demo, url: new URL(`${url}/mcp`), brake };
}

const INFO = { name: "test", version: "1.0.0" };

/** The three ways in which official clients speak. */
const CLIENTS: readonly (readonly [string, (url: URL, ask?: Ask) => Promise<Opened>])[] = [
  [
    "sdk 1.32 (2025-11-25)",
    async (url, ask) => {
      const client = new Client1(INFO, { capabilities: ask === undefined ? {} : { elicitation: {} } });
      if (ask !== undefined)
        client.setRequestHandler(ElicitRequestSchema, async ({ params }) => ({ ...ask(params.message) }));
      await client.connect(new Transport1(url) as never);
      onTestFinished(() => client.close());
      return {
        list: async () => (await client.listTools()).tools,
        call: (name, given, options) => client.callTool({ name, arguments: given }, undefined, options) as never,
      };
    },
  ],
  ...(["legacy", "modern"] as const).map((mode): readonly [string, (url: URL, ask?: Ask) => Promise<Opened>] => [
    `client 2.4 (${mode})`,
    async (url, ask) => {
      const client = new Client(INFO, {
        capabilities: ask === undefined ? {} : { elicitation: { form: {} } },
        versionNegotiation: { mode: mode === "modern" ? { pin: "2026-07-28" } : "legacy" },
      });
      if (ask !== undefined)
        client.setRequestHandler("elicitation/create", async ({ params }) => ({ ...ask(params.message) }));
      await client.connect(new StreamableHTTPClientTransport(url));
      onTestFinished(() => client.close());
      return {
        list: async () => (await client.listTools()).tools,
        call: (name, given, options) => client.callTool({ name, arguments: given }, options) as never,
      };
    },
  ]),
];

describe.each(CLIENTS)("%s", (_, connect) => {
  it("lists agents and the selected tool, in the order of their names", async () => {
    const { url } = await serve();
    const tools = await (await connect(url)).list();
    expect(tools.map(({ name }) => name)).toEqual(["counter", "lookup", "payer", "slow", "writer"]);
  });

  it("calls an agent, and continues its thread", async () => {
    const { url } = await serve();
    const client = await connect(url);
    const first = await client.call("writer", { input: "hello" });
    expect(first.structuredContent).toMatchObject({ text: "You said hello (1)." });
    const { thread_id } = first.structuredContent as { thread_id: string };
    const second = await client.call("writer", { input: "again", thread_id });
    expect(second.structuredContent).toMatchObject({ text: "You said again (3).", thread_id });
  });

  it("gets the output of an agent with a schema, and the result of a tool, as structured content", async () => {
    const { url } = await serve();
    const client = await connect(url);
    await client.list();
    expect(await client.call("counter", { input: "count" })).toMatchObject({ structuredContent: { count: 3 } });
    expect(await client.call("lookup", { word: "reprise" })).toMatchObject({
      structuredContent: { meaning: "what reprise means" },
    });
  });

  it.each([
    ["approves", { action: "accept", content: { approve: true } }, "Done: sent to Ada"],
    ["denies", { action: "accept", content: { approve: false, reason: "Too much." } }, "Too much."],
    ["declines", { action: "decline" }, "denied"],
  ] as const)("asks the person, who %s", async (__, answer, expected) => {
    const { url } = await serve();
    const asked: string[] = [];
    const client = await connect(url, (message) => {
      asked.push(message);
      return answer;
    });
    const result = await client.call("payer", { input: "Ada" });
    expect(JSON.stringify(result.content)).toContain(expected);
    expect(asked).toEqual([expect.stringContaining('wire({"to":"Ada"})')]);
  });

  it("says that a run waits when the client cannot ask anybody", async () => {
    const { url, runtime } = await serve();
    const result = await (await connect(url)).call("payer", { input: "Ada" });
    expect(result).toMatchObject({ isError: true });
    expect(JSON.stringify(result.content)).toContain("needs the decision of a person");
    expect(await runtime.decisions.list()).toHaveLength(1);
  });

  it("shows progress, and cancels the run with the call", async () => {
    const { url, brake } = await serve();
    const client = await connect(url);
    const stop = new AbortController();
    const shown: (string | undefined)[] = [];
    const onprogress = ({ message }: { message?: string | undefined }): void => {
      shown.push(message);
      if (message === "Half way.") stop.abort();
    };
    await expect(client.call("slow", { input: "go" }, { signal: stop.signal, onprogress })).rejects.toThrow();
    expect(shown).toEqual(["Thinking.", "Calling wait.", "Half way."]);
    await expect.poll(() => brake.state.cancelled).toBe(1);
  });

  it("is told about a tool that does not exist and about arguments that are wrong", async () => {
    const { url } = await serve();
    const client = await connect(url);
    await expect(client.call("nobody", {})).rejects.toThrow("There is no tool");
    await expect(client.call("writer", {})).rejects.toThrow("arguments.input must be a non-empty text.");
  });
});
