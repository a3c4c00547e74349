import { RepriseError } from "@reprise/contracts";
import {
  decodeMcpMessage,
  isObject,
  type McpMessage,
  MODERN_VERSION,
  RPC_CODES,
  type RpcMessage,
  rpcError,
  rpcResult,
  SESSION_VERSIONS,
} from "@reprise/protocols/mcp";
import type { Runtime } from "@reprise/runtime";
import type { Json, JsonObject } from "@reprise/state";
import { ArgumentProblem, type InspectionTool } from "./inspection-tool.ts";

type Request = Extract<McpMessage, { readonly kind: "request" }>;

export interface Inspection {
  readonly runtime: Runtime;
  readonly tools: readonly InspectionTool[];
  readonly version: string;
  /** What the client writes, line by line. */
  readonly lines: AsyncIterable<string>;
  write(line: string): void;
}

/** The tools do not change while the process runs. */
const LIST_TTL_MS = 3_600_000;

const INSTRUCTIONS =
  "Looks into a store of Reprise agents. Threads are conversations, and runs are what agents did on them. Begin with list_runs or search_threads, then show_run.";

/** Answers one assistant that asks about a store, a message per line, until it has said everything. */
export async function serveInspection(inspection: Inspection): Promise<void> {
  const { lines, write } = inspection;
  const send = (message: RpcMessage): void => write(JSON.stringify(message));
  const underWay = new Set<Promise<void>>();
  for await (const line of lines) {
    if (line.trim() === "") continue;
    const message = decodeMcpMessage(parse(line));
    if (message.kind === "refused") send(rpcError(message.id, message.error));
    if (message.kind !== "request") continue;
    // Not awaited: a question may take long, and the assistant asks the next one meanwhile.
    const answering: Promise<void> = answer(inspection, message)
      .then(send)
      .finally(() => underWay.delete(answering));
    underWay.add(answering);
  }
  await Promise.all(underWay);
}

async function answer(inspection: Inspection, request: Request): Promise<RpcMessage> {
  const { id, method, era, params } = request;
  const complete = (result: JsonObject): RpcMessage =>
    rpcResult(id, era === "session" ? result : { resultType: "complete", ...result });
  const serverInfo = { name: "reprise-inspect", title: "Reprise runs and threads", version: inspection.version };
  switch (method) {
    case "initialize": {
      const protocolVersion =
        SESSION_VERSIONS.find((version) => version === params.protocolVersion) ?? SESSION_VERSIONS[0];
      return complete({ protocolVersion, capabilities: { tools: {} }, serverInfo, instructions: INSTRUCTIONS });
    }
    case "server/discover": {
      const supportedVersions = [MODERN_VERSION, ...SESSION_VERSIONS];
      const discovered = { supportedVersions, capabilities: { tools: {} }, instructions: INSTRUCTIONS };
      return complete({ ...discovered, serverInfo, ttlMs: LIST_TTL_MS, cacheScope: "private" });
    }
    case "ping":
      return complete({});
    case "tools/list": {
      const tools = inspection.tools.map(describeTool);
      return complete(era === "session" ? { tools } : { tools, ttlMs: LIST_TTL_MS, cacheScope: "private" });
    }
    case "tools/call": {
      const tool = inspection.tools.find(({ name }) => name === params.name);
      if (tool !== undefined) return complete(await callTool(inspection.runtime, tool, params.arguments ?? {}));
      const message = `There is no tool ${JSON.stringify(String(params.name).slice(0, 200))}.`;
      return rpcError(id, { code: RPC_CODES.invalid_params, message });
    }
    default:
      return rpcError(id, { code: RPC_CODES.method_not_found, message: `There is no method ${method.slice(0, 200)}.` });
  }
}

function describeTool({ name, description, properties, required, decides }: InspectionTool): JsonObject {
  const inputSchema = { type: "object", properties, required: [...required], additionalProperties: false };
  return { name, description, inputSchema, annotations: { readOnlyHint: decides !== true, openWorldHint: false } };
}

/** A question that cannot be answered is an answer that says why: the assistant reads it and asks otherwise. */
async function callTool(runtime: Runtime, tool: InspectionTool, given: Json): Promise<JsonObject> {
  try {
    if (!isObject(given)) throw new ArgumentProblem("arguments must be an object.");
    const unknown = Object.keys(given).find((name) => !Object.hasOwn(tool.properties, name));
    if (unknown !== undefined) throw new ArgumentProblem(`${tool.name} has no argument ${unknown}.`);
    const answered = await tool.answer(runtime, given);
    if (typeof answered === "string") return { content: [{ type: "text", text: answered }] };
    return { content: [{ type: "text", text: JSON.stringify(answered) }], structuredContent: answered };
  } catch (error) {
    return { content: [{ type: "text", text: describeProblem(error) }], isError: true };
  }
}

function describeProblem(error: unknown): string {
  if (RepriseError.is(error)) return `${error.code}: ${error.message}`;
  return error instanceof Error ? error.message : String(error);
}

function parse(line: string): Json {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
