export type {
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
} from "@reprise/plugins/mcp";
export { mcp } from "@reprise/plugins/mcp";
