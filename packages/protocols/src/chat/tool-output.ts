import type { Message, ToolResult } from "@reprise/contracts";
import { getAt, type Json, parseJson } from "@reprise/state";

/** A result as clients get it: whole, so that a warning can be told from a success. */
export function toolOutput({ tool_name, status, data, message, metadata }: Omit<ToolResult, "suspension">): Json {
  return { tool_name, status, data, message, metadata };
}

export function toolErrorText({ message, data }: Pick<ToolResult, "message" | "data">): string {
  const said = getAt(data, ["error", "message"]);
  return message || (typeof said === "string" && said !== "" ? said : "tool output error");
}

/** A result as far as its message has it. The message of the tool for people is only in the events. */
export function readToolResult(tool: string, { content, metadata }: Message): ToolResult {
  const text = typeof content === "string" ? content : "";
  const status = metadata?.status === "error" || metadata?.status === "warning" ? metadata.status : "success";
  return { tool_name: tool, status, data: readData(text), message: null, metadata: readMetadata(metadata) };
}

function readMetadata(metadata: Message["metadata"]): ToolResult["metadata"] {
  const kept = metadata?.result_metadata;
  const isObject = typeof kept === "object" && kept !== null && !Array.isArray(kept);
  // Json arrays are readonly, which `isArray` does not take away.
  return isObject ? (kept as ToolResult["metadata"]) : {};
}

/** Data is kept as JSON, and text as it is. */
function readData(text: string): Json {
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}
