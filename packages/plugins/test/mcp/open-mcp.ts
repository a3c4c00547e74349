import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { pipeline, Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { createMcpHandler } from "@modelcontextprotocol/server";
import type { Store } from "@reprise/contracts";
import { type Script, scriptedModel } from "@reprise/models";
import { createNodeEnv } from "@reprise/node";
import { type McpOptions, type McpPlugin, type McpServer, mcp } from "@reprise/plugins/mcp";
import { type AgentDefinition, createRuntime, defineAgent } from "@reprise/runtime";
import { createMemoryBlobStore, createMemoryStore } from "@reprise/stores/memory";
import { onTestFinished } from "vitest";
import { type Counts, createFixtureServer } from "./fixture-server.ts";

type Way = () => Promise<McpServer>;

/** The ways to the fixture: a process or a URL, in either era. */
export const WAYS: readonly (readonly [string, Way])[] = [
  ["a process of the modern era", async () => ({ ...FIXTURE, protocol: "modern" })],
  ["a process of the legacy era", async () => ({ ...FIXTURE, protocol: "legacy" })],
  ["a URL of the modern era", async () => ({ url: await serveFixture({}, "reject") })],
  ["a URL of the legacy era", async () => ({ url: await serveFixture(), protocol: "legacy" })],
];

/** How the fixture is started as a process. */
export const FIXTURE = {
  command: process.execPath,
  args: ["--conditions=reprise-source", fileURLToPath(new URL("./fixture-server.ts", import.meta.url))],
} as const;

export interface World {
  readonly store: Store;
  readonly blobs: ReturnType<typeof createMemoryBlobStore>;
}

export interface OpenMcp {
  readonly script?: Script;
  readonly options?: McpOptions;
  readonly plugin?: McpPlugin;
  readonly agent?: Partial<AgentDefinition>;
  readonly world?: World;
}

const env = createNodeEnv({ log: () => undefined });

/** A runtime with real time, the agent `agent` and the plugin. Closed when the test is over. */
export async function openMcp({ script = ["done"], options = {}, plugin = mcp(options), agent, world }: OpenMcp) {
  const model = scriptedModel(script);
  const { store, blobs } = world ?? {
    store: createMemoryStore({ clock: env.clock }),
    blobs: createMemoryBlobStore(env),
  };
  const runtime = await createRuntime({
    agents: [defineAgent({ ...agent, id: "agent", model, plugins: [plugin, ...(agent?.plugins ?? [])] })],
    env,
    store,
    blobs,
    limits: { closeTimeoutMs: 100 },
  });
  onTestFinished(() => runtime.close());
  return { runtime, model, plugin, store, blobs };
}

/** Serves the fixture over HTTP, in this process. Requests that `refuse` answers do not reach it. */
export async function serveFixture(
  counts: Counts = {},
  legacy: "stateless" | "reject" = "stateless",
  refuse: (request: IncomingMessage, response: ServerResponse) => boolean = () => false,
): Promise<string> {
  const handler = createMcpHandler(() => createFixtureServer(counts), legacy === "reject" ? { legacy } : {});
  return listen(
    createServer(async (request, response) => {
      if (refuse(request, response)) return;
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const body = Buffer.concat(chunks);
      // A client that goes away has cancelled what it asked for.
      const gone = new AbortController();
      response.on("close", () => gone.abort());
      const answer = await handler.fetch(
        new Request(`http://localhost${request.url}`, {
          method: request.method ?? "GET",
          headers: Object.entries(request.headers).map(([name, value]) => [name, String(value)] as [string, string]),
          signal: gone.signal,
          ...(body.length > 0 && { body }),
        }),
      );
      response.writeHead(answer.status, Object.fromEntries(answer.headers));
      if (answer.body === null) response.end();
      else pipeline(Readable.fromWeb(answer.body as never), response, () => undefined);
    }),
  );
}

/** Listens on a free port, and answers with the address of `/mcp`. */
export async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}
