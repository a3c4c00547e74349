import type { ToolDescriptor } from "./tool-descriptor.ts";

/** Who runs a tool. */
export const TOOL_OWNERS = [
  "local",
  "mcp",
  "hosted",
  "provider_native",
  "workflow",
  "subagent",
  "plugin",
  "frontend",
] as const;

export type ToolOwner = (typeof TOOL_OWNERS)[number];

/** The prefix of tools that come from an MCP server. */
const MCP = "mcp__";

/** Reads the owner of a tool from `runtime_owner` in its metadata, or from its id. Undefined when neither names one. */
export function ownerOf({ id, metadata }: Pick<ToolDescriptor, "id" | "metadata">): ToolOwner | undefined {
  return TOOL_OWNERS.find((owner) => owner === metadata.runtime_owner) ?? (id.startsWith(MCP) ? "mcp" : undefined);
}
