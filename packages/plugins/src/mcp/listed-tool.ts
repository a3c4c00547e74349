import { createHash } from "node:crypto";
import { canonicalJson, type Tool, type ToolContext } from "@reprise/contracts";
import { defineTool } from "@reprise/runtime";
import { isJson, type Json, type JsonObject } from "@reprise/state";
import { DEFAULTS, type McpServerSettings } from "./mcp-settings.ts";

/** A tool as a server lists it. Everything in it may be a lie. */
export interface ListedTool {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema: unknown;
  readonly outputSchema?: unknown;
  readonly annotations?: Hints | undefined;
  readonly execution?: { readonly taskSupport?: string | undefined } | undefined;
  readonly _meta?: { readonly [key: string]: unknown } | undefined;
}

interface Hints {
  readonly title?: string | undefined;
  readonly readOnlyHint?: boolean | undefined;
  readonly destructiveHint?: boolean | undefined;
  readonly idempotentHint?: boolean | undefined;
}

/** A schema larger than this is no description of arguments. */
const MAX_SCHEMA_BYTES = 65_536;

export interface ListedToolOptions {
  readonly id: string;
  readonly server: string;
  readonly settings: McpServerSettings;
  execute(input: JsonObject, context: ToolContext): Promise<unknown>;
}

/** Makes a tool of one entry of a server's list. Throws when the entry cannot be a tool. */
export function readListedTool(listed: ListedTool, { id, server, settings, execute }: ListedToolOptions): Tool {
  const { name, annotations, outputSchema = null, description = "" } = listed;
  const given = settings.ignore_hints ? {} : (annotations ?? {});
  const own = settings.tools?.[name] ?? {};
  const kind = own.class ?? (given.readOnlyHint === true ? "read_only" : "mutating");
  const inputSchema = readSchema(listed.inputSchema);
  const { max_description_chars: longest = DEFAULTS.max_description_chars } = settings;
  return defineTool<JsonObject, unknown>({
    id,
    name: cut(listed.title ?? annotations?.title ?? name, 128),
    description: cut(description, longest),
    inputSchema,
    class: kind,
    // As the protocol has it: a tool that says nothing about itself may destroy.
    destructive: own.destructive ?? (kind === "mutating" && (given.destructiveHint ?? true)),
    idempotent: own.idempotent ?? given.idempotentHint === true,
    needsApproval: own.needs_approval ?? false,
    timeoutMs: settings.max_call_ms ?? DEFAULTS.max_call_ms,
    capabilities: ["mcp"],
    // An approval counts for the tool that was shown: another one under its name is asked about again.
    version: hash([server, name, description, isJson(outputSchema) ? outputSchema : null]),
    metadata: { "mcp.server": server, "mcp.tool": name },
    execute,
  });
}

function readSchema(schema: unknown): JsonObject {
  if (typeof schema !== "object" || schema === null || !isJson(schema)) throw new Error("its input schema is not JSON");
  if (JSON.stringify(schema).length > MAX_SCHEMA_BYTES) throw new Error("its input schema is too large");
  // Found to be an object just above.
  const object = schema as JsonObject;
  if (object.type !== "object") throw new Error("its input schema does not describe an object");
  return object;
}

function hash(parts: readonly Json[]): string {
  return createHash("sha256").update(canonicalJson(parts)).digest("hex").slice(0, 12);
}

/** A text no longer than it may be. */
export function cut(text: string, length: number): string {
  const known = text.toWellFormed();
  return known.length <= length ? known : `${known.slice(0, length - 1).toWellFormed()}…`;
}
