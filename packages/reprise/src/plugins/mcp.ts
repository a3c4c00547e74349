export type {
  EditorServer,
  McpAuth,
  McpCommand,
  McpOptions,
  McpPlugin,
  McpSampling,
  McpServer,
  McpServerLimits,
  McpServerStatus,
  McpToolOptions,
  McpUrl,
  SessionServers,
} from "@reprise/plugins/mcp";
export { mcp, openEditorServers } from "@reprise/plugins/mcp";
