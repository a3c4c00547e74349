import { createServer } from "node:http";
import { InMemoryTaskStore } from "@modelcontextprotocol/sdk/experimental/tasks/stores/in-memory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import type { Json } from "@reprise/state";
import { listen } from "./open-mcp.ts";

/** A server whose tool `research` is a task that a test ends. */
export interface TaskServer {
  readonly url: string;
  /** Every request that arrived, oldest first. */
  readonly methods: readonly string[];
  /** How many tasks were made. */
  created(): number;
  finish(text: string): Promise<void>;
  isCancelled(): Promise<boolean>;
}

const RESEARCH = { name: "research", description: "Researches.", inputSchema: { type: "object" } } as const;
const POLL_MS = 100;

/** The 2025 era, by the official SDK. Its tasks outlive every session. */
export async function serveLegacyTasks(): Promise<TaskServer> {
  const taskStore = new InMemoryTaskStore();
  const methods: string[] = [];
  const ids: string[] = [];
  const open = (): McpServer => {
    const capabilities = { tasks: { requests: { tools: { call: {} } }, cancel: {} } };
    const server = new McpServer({ name: "tasks", version: "1.0.0" }, { taskStore, capabilities });
    server.experimental.tasks.registerToolTask(
      RESEARCH.name,
      { description: RESEARCH.description, inputSchema: {}, execution: { taskSupport: "required" } },
      {
        createTask: async (_, { taskStore: store }) => {
          const task = await store.createTask({ ttl: 600_000, pollInterval: POLL_MS });
          ids.push(task.taskId);
          return { task };
        },
        getTask: (_, { taskId, taskStore: store }) => store.getTask(taskId),
        getTaskResult: async (_, { taskId, taskStore: store }) => (await store.getTaskResult(taskId)) as never,
      },
    );
    return server;
  };
  const url = await listen(
    createServer(async (request, response) => {
      const body = await readJson(request);
      if (typeof body.method === "string") methods.push(body.method);
      const transport = new StreamableHTTPServerTransport({});
      await open().connect(transport as never);
      await transport.handleRequest(request, response, body);
    }),
  );
  const last = (): string => ids.at(-1) ?? "";
  return {
    url,
    methods,
    created: () => ids.length,
    finish: (text) => taskStore.storeTaskResult(last(), "completed", { content: [{ type: "text", text }] }),
    isCancelled: async () => (await taskStore.getTask(last()))?.status === "cancelled",
  };
}

interface Held {
  status: string;
  result?: Json;
  error?: Json;
  inputRequests?: Json;
}

/** The 2026 era with the Tasks extension, which no server of the SDK has yet. */
export async function serveModernTasks({
  asks = false,
} = {}): Promise<TaskServer & { forget(): void; fail(message: string): void }> {
  const methods: string[] = [];
  const tasks = new Map<string, Held>();
  const now = new Date(0).toISOString();
  const describe = (taskId: string, task: Held) => ({
    taskId,
    createdAt: now,
    lastUpdatedAt: now,
    ttlMs: 600_000,
    pollIntervalMs: POLL_MS,
    ...task,
  });
  const question = {
    method: "elicitation/create",
    params: {
      mode: "form",
      message: "Which topic?",
      requestedSchema: { type: "object", properties: { topic: { type: "string" } }, required: ["topic"] },
    },
  };
  const answer = (method: string, params: Record<string, Json>): object | undefined => {
    const task = tasks.get(String(params.taskId));
    if (method === "server/discover") {
      const capabilities = { tools: {}, extensions: { "io.modelcontextprotocol/tasks": {} } };
      return { supportedVersions: ["2026-07-28"], capabilities, ttlMs: 0, cacheScope: "private" };
    }
    if (method === "tools/list") return { tools: [RESEARCH], ttlMs: 0, cacheScope: "private" };
    if (method === "tools/call") {
      if (!JSON.stringify(params._meta).includes("io.modelcontextprotocol/tasks")) return undefined;
      const taskId = `task-${tasks.size + 1}`;
      tasks.set(
        taskId,
        asks ? { status: "input_required", inputRequests: { topic: question } } : { status: "working" },
      );
      return { ...describe(taskId, { status: "working" }), resultType: "task" };
    }
    if (task === undefined) return undefined;
    if (method === "tasks/get") return describe(String(params.taskId), task);
    if (method === "tasks/update") {
      const text = JSON.stringify(params.inputResponses);
      tasks.set(String(params.taskId), { status: "completed", result: { content: [{ type: "text", text }] } });
    }
    if (method === "tasks/cancel") tasks.set(String(params.taskId), { status: "cancelled" });
    return {};
  };
  const url = await listen(
    createServer(async (request, response) => {
      const { id, method = "", params = {} } = await readJson(request);
      methods.push(method);
      const result = answer(method, params);
      response.setHeader("content-type", "application/json");
      const body =
        result === undefined
          ? { error: { code: -32602, message: "unknown task" } }
          : { result: { resultType: "complete", ...result } };
      response.end(JSON.stringify({ jsonrpc: "2.0", id, ...body }));
    }),
  );
  const last = (): string => `task-${tasks.size}`;
  return {
    url,
    methods,
    created: () => tasks.size,
    finish: async (text) =>
      void tasks.set(last(), { status: "completed", result: { content: [{ type: "text", text }] } }),
    fail: (message) => void tasks.set(last(), { status: "failed", error: { code: -32603, message } }),
    forget: () => tasks.clear(),
    isCancelled: async () => tasks.get(last())?.status === "cancelled",
  };
}

async function readJson(
  request: AsyncIterable<Buffer>,
): Promise<{ id?: Json; method?: string; params?: Record<string, Json> }> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  return text === "" ? {} : JSON.parse(text);
}
