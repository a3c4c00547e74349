import type { ToolResult } from "@reprise/contracts";
import { getAt, type Json } from "@reprise/state";

/** A result as clients get it: whole, so that a warning can be told from a success. */
export function toolOutput({ tool_name, status, data, message, metadata }: Omit<ToolResult, "suspension">): Json {
  return { tool_name, status, data, message, metadata };
}

export function toolErrorText({ message, data }: Pick<ToolResult, "message" | "data">): string {
  const said = getAt(data, ["error", "message"]);
  return message || (typeof said === "string" && said !== "" ? said : "tool output error");
}
