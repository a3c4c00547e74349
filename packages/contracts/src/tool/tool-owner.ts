import type { ToolDescriptor } from "./tool-descriptor.ts";

/** Who runs a tool. */
export const TOOL_OWNERS = ["local", "mcp", "hosted", "provider_native", "workflow", "subagent", "plugin"] as const;

export type ToolOwner = (typeof TOOL_OWNERS)[number];

/** The prefix of tools that come from an MCP server. */
const MCP = "mcp__";

/** What a tool says of its owner: `runtime_owner` in its metadata, or its id. Undefined when it says nothing. */
export function ownerOf({ id, metadata }: Pick<ToolDescriptor, "id" | "metadata">): ToolOwner | undefined {
  return TOOL_OWNERS.find((owner) => owner === metadata.runtime_owner) ?? (id.startsWith(MCP) ? "mcp" : undefined);
}
