export { type EditorServer, openEditorServers, type SessionServers } from "./editor-servers.ts";
export type {
  McpAuth,
  McpCommand,
  McpOptions,
  McpPlugin,
  McpServer,
  McpServerLimits,
  McpToolOptions,
  McpUrl,
} from "./mcp.ts";
export { mcp } from "./mcp.ts";
export type { McpSampling, McpServerStatus } from "./mcp-types.ts";
