import { type ToolResult, toolFailure } from "@reprise/contracts";
import { findSectionProblem } from "@reprise/runtime";
import { isJson, type Json, type JsonObject } from "@reprise/state";
import { cut, type ListedTool } from "./listed-tool.ts";
import { DEFAULTS, type McpServerSettings } from "./mcp-settings.ts";

/** A result as a server gives it. */
export interface GivenResult {
  readonly content?: readonly Block[] | undefined;
  readonly structuredContent?: unknown;
  readonly isError?: boolean | undefined;
}

interface Block {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** Where a result comes from. */
export interface ResultOrigin {
  readonly id: string;
  readonly server: string;
  readonly tool: ListedTool;
  readonly settings: McpServerSettings;
}

/** Content that is not text is kept beside the result up to this size. */
const MAX_KEPT_BYTES = 262_144;

/** The result of a call as the model and the thread get it. */
export function readCallResult(given: GivenResult, origin: ResultOrigin): ToolResult {
  const { id, tool, settings } = origin;
  const { content = [], structuredContent: structured, isError = false } = given;
  const metadata = originMetadata(origin);
  const fail = (message: string): ToolResult => ({ ...toolFailure(id, "invalid_output", message), metadata });
  const { max_result_bytes: most = DEFAULTS.max_result_bytes } = settings;
  const bytes = Buffer.byteLength(JSON.stringify([content, structured ?? null]));
  if (bytes > most) return fail(`The result of ${id} has ${bytes} bytes, more than the ${most} that are allowed.`);
  if (!isJson(content) || (structured !== undefined && !isJson(structured)))
    return fail(`The result of ${id} is not JSON.`);
  const text = content.map(sayBlock).join("\n");
  if (isError) return { ...toolFailure(id, "execution_failed", text || `${id} failed.`), metadata };
  const problem = structured === undefined ? undefined : findOutputProblem(tool, structured as Json);
  if (problem !== undefined) return fail(`The result of ${id} does not fit its output schema: ${cut(problem, 500)}.`);
  const isPlain = content.every(({ type }) => type === "text");
  const isKept = !isPlain && bytes <= MAX_KEPT_BYTES;
  // The content came as JSON, and the structured part of it was just checked.
  return {
    tool_name: id,
    status: "success",
    data: (structured as Json | undefined) ?? text,
    message: null,
    metadata: { ...metadata, ...(isKept && { "mcp.result.content": content as unknown as Json }) },
  };
}

/** Says where a result comes from. */
export function originMetadata({ server, tool, settings }: ResultOrigin): Record<string, Json> {
  return {
    "mcp.server": server,
    "mcp.tool": tool.name,
    "mcp.transport": transportOf(settings),
  };
}

/** How a server is reached. */
export function transportOf({ command }: McpServerSettings): "stdio" | "streamable_http" {
  return command === undefined ? "streamable_http" : "stdio";
}

/** Describes the problem with structured content. A schema that cannot be used finds no problem. */
function findOutputProblem({ outputSchema }: ListedTool, structured: Json): string | undefined {
  if (typeof outputSchema !== "object" || outputSchema === null || !isJson(outputSchema)) return undefined;
  try {
    return findSectionProblem(outputSchema as JsonObject, structured);
  } catch {
    return undefined;
  }
}

/** A block as a model can read it. */
export function sayBlock(block: Block): string {
  const { type, text, data, mimeType, uri, name } = block;
  if (type === "text") return String(text);
  if (type === "image" || type === "audio") return `[${type}: ${String(mimeType)}, ${sizeOf(data)} bytes]`;
  if (type === "resource_link") return `[resource: ${String(name ?? "")} ${String(uri)}]`;
  if (type === "resource") return sayResource(block.resource);
  return `[${type}]`;
}

/** The contents of a resource as text. */
function sayResource(resource: unknown): string {
  const { uri, text, blob, mimeType } = (resource ?? {}) as Record<string, unknown>;
  if (typeof text === "string") return `[resource: ${String(uri)}]\n${text}`;
  return `[resource: ${String(uri)}, ${String(mimeType ?? "unknown type")}, ${sizeOf(blob)} bytes]`;
}

/** The size in bytes of the content that base64 encodes. */
export function sizeOf(base64: unknown): number {
  return typeof base64 === "string" ? Math.floor((base64.length * 3) / 4) : 0;
}
