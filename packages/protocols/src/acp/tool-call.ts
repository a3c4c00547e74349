import type { ToolResult } from "@reprise/contracts";
import { isPlainObject } from "@reprise/contracts/shape";
import { getAt, type Json } from "@reprise/state";
import type { AcpLocation, AcpToolCall, AcpToolContent, AcpToolKind, AcpToolStatus } from "./acp-types.ts";

/** The kind of a tool, by its name: which icon an editor shows. */
export type KindOf = (tool: string) => AcpToolKind | undefined;

const LONGEST_TITLE = 80;

/** A call as an editor shows it: `search: weather in Paris`. */
export function describeCall(
  toolCallId: string,
  name: string,
  input: Json | undefined,
  kind?: AcpToolKind,
): AcpToolCall & { readonly title: string } {
  return {
    toolCallId,
    title: titleOf(name, input),
    name,
    ...(kind !== undefined && { kind }),
    ...(input !== undefined && { rawInput: input }),
  };
}

function titleOf(name: string, input: Json | undefined): string {
  const first = isPlainObject(input) ? Object.values(input).find((value) => typeof value === "string") : undefined;
  const [line = ""] = typeof first === "string" ? first.trim().split("\n", 1) : [];
  if (line === "") return name;
  return `${name}: ${line.length > LONGEST_TITLE ? `${line.slice(0, LONGEST_TITLE).toWellFormed()}…` : line}`;
}

/** The end of a call: its text, the changes it made to files, and where they are. */
export function describeResult(
  toolCallId: string,
  { status, data, message, metadata }: Pick<ToolResult, "status" | "data" | "message" | "metadata">,
): AcpToolCall {
  const state: AcpToolStatus = status === "error" ? "failed" : "completed";
  const text = message ?? (typeof data === "string" ? data : undefined) ?? errorTextOf(data) ?? jsonText(data);
  const locations = readLocations(metadata.locations);
  return {
    toolCallId,
    status: state,
    content: [
      ...readDiffs(metadata.diffs),
      ...(text === "" ? [] : [{ type: "content", content: { type: "text", text } } as const]),
    ],
    ...(locations.length > 0 && { locations }),
    rawOutput: data,
  };
}

function errorTextOf(data: Json): string | undefined {
  const said = getAt(data, ["error", "message"]);
  return typeof said === "string" ? said : undefined;
}

function jsonText(data: Json): string {
  return data === null ? "" : JSON.stringify(data, null, 2);
}

/** `metadata.diffs` of a result: `[{ path, old_text?, new_text }]`. Anything else is left out. */
function readDiffs(diffs: Json | undefined): readonly AcpToolContent[] {
  return listOf(diffs).flatMap((diff): readonly AcpToolContent[] => {
    const { path, old_text: oldText, new_text: newText } = isPlainObject(diff) ? diff : {};
    if (typeof path !== "string" || typeof newText !== "string") return [];
    return [{ type: "diff", path, ...(typeof oldText === "string" && { oldText }), newText }];
  });
}

/** `metadata.locations` of a result: `[{ path, line? }]`. */
function readLocations(locations: Json | undefined): readonly AcpLocation[] {
  return listOf(locations).flatMap((location) => {
    const { path, line } = isPlainObject(location) ? location : {};
    if (typeof path !== "string") return [];
    return [{ path, ...(typeof line === "number" && Number.isSafeInteger(line) && line >= 0 && { line }) }];
  });
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}
