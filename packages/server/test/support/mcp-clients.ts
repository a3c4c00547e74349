import { Client, StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as Transport1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import type { TenantRuntime } from "@reprise/runtime";
import { type McpServing, serveMcpLines } from "@reprise/server";
import { onTestFinished } from "vitest";

export type Answer = {
  readonly action: "accept" | "decline" | "cancel";
  readonly content?: Record<string, string | boolean>;
};
export type Ask = (message: string) => Answer;

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onprogress?: (progress: { message?: string | undefined }) => void;
}

/** The part of official clients that tests use, the same for all of them. */
export interface McpTestClient {
  list(): Promise<readonly { readonly name: string }[]>;
  call(
    name: string,
    given: Record<string, string>,
    options?: CallOptions,
  ): Promise<{ content?: unknown; structuredContent?: unknown; isError?: unknown; _meta?: unknown }>;
}

export interface ConnectOptions {
  /** Answers questions. Without it the client says that it cannot ask anybody. */
  readonly ask?: Ask;
  /** Hears that the list of tools has changed, with the names of the new list. */
  readonly onToolsChanged?: (names: readonly string[]) => void;
}

/** A way to a server. */
export type Road = () => Transport;

export const overHttp =
  (url: URL): Road =>
  () =>
    new StreamableHTTPClientTransport(url);

/** As over stdio: one message a line, in both directions. */
export const overLines =
  (runtime: TenantRuntime, serving: McpServing): Road =>
  () => {
    const lines = new TransformStream<string, string>();
    const writer = lines.writable.getWriter();
    const transport: Transport = {
      async start() {
        const write = (line: string): void => transport.onmessage?.(JSON.parse(line));
        const report = (error: unknown): void => transport.onerror?.(error as Error);
        void serveMcpLines({ runtime, serving, lines: lines.readable, write, report });
      },
      send: (message) => writer.write(JSON.stringify(message)),
      async close() {
        await writer.close().catch(() => undefined);
        transport.onclose?.();
      },
    };
    return transport;
  };

const INFO = { name: "test", version: "1.0.0" };

function namesOf(tools: readonly { readonly name: string }[] | null): readonly string[] {
  return (tools ?? []).map(({ name }) => name);
}

type Connect = (road: Road, options?: ConnectOptions) => Promise<McpTestClient>;

const connect1: Connect = async (road, { ask, onToolsChanged } = {}) => {
  const onChanged = (_: Error | null, tools: readonly { name: string }[] | null): void =>
    onToolsChanged?.(namesOf(tools));
  const client = new Client1(INFO, {
    capabilities: ask === undefined ? {} : { elicitation: {} },
    ...(onToolsChanged !== undefined && { listChanged: { tools: { onChanged, debounceMs: 0 } } }),
  });
  if (ask !== undefined)
    client.setRequestHandler(ElicitRequestSchema, async ({ params }) => ({ ...ask(params.message) }));
  const transport = road();
  // Each line of clients has transports of its own; those that are not over HTTP are the same.
  const own = transport instanceof StreamableHTTPClientTransport ? new Transport1(urlOf(transport)) : transport;
  await client.connect(own as never);
  onTestFinished(() => client.close());
  return {
    list: async () => (await client.listTools()).tools,
    call: (name, given, options) => client.callTool({ name, arguments: given }, undefined, options) as never,
  };
};

function urlOf(transport: StreamableHTTPClientTransport): URL {
  // Private in the types, and nowhere else to read.
  return (transport as unknown as { readonly _url: URL })._url;
}

const connect2 =
  (mode: "legacy" | "modern"): Connect =>
  async (road, { ask, onToolsChanged } = {}) => {
    const onChanged = (_: Error | null, tools: readonly { name: string }[] | null): void =>
      onToolsChanged?.(namesOf(tools));
    const client = new Client(INFO, {
      capabilities: ask === undefined ? {} : { elicitation: { form: {} } },
      versionNegotiation: { mode: mode === "modern" ? { pin: "2026-07-28" } : "legacy" },
      ...(onToolsChanged !== undefined && { listChanged: { tools: { onChanged, debounceMs: 0 } } }),
    });
    if (ask !== undefined)
      client.setRequestHandler("elicitation/create", async ({ params }) => ({ ...ask(params.message) }));
    await client.connect(road());
    onTestFinished(() => client.close());
    return {
      list: async () => (await client.listTools()).tools,
      call: (name, given, options) => client.callTool({ name, arguments: given }, options) as never,
    };
  };

/** The three ways in which official clients speak. */
export const MCP_CLIENTS: readonly (readonly [string, Connect])[] = [
  ["sdk 1.32 (2025-11-25)", connect1],
  ["client 2.4 (legacy)", connect2("legacy")],
  ["client 2.4 (modern)", connect2("modern")],
];
