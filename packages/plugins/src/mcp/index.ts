export type { McpSampling } from "./call-tool.ts";
export type { McpServerStatus } from "./connection.ts";
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
