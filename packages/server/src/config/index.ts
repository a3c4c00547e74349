export type { CheckedConfig } from "./check-config.ts";
export { checkConfig } from "./check-config.ts";
export type {
  A2aConfig,
  AcpAgentConfig,
  AuthConfig,
  Config,
  ConfigFile,
  EnvReference,
  JwtConfig,
  McpConfig,
  NatsGatewayConfig,
  ProviderAuth,
  ProviderConfig,
  ServerConfig,
  ServerLimitsConfig,
  StoreConfig,
} from "./config.ts";
export type { ConfigPorts, ProviderSettings } from "./config-ports.ts";
export type { ConfigProblem } from "./config-problem.ts";
export { problemsOf } from "./config-problem.ts";
export { createDefinitions } from "./create-definitions.ts";
export type { ConfigChange } from "./live/entry-history.ts";
export type {
  ChangeOptions,
  ConfigEntry,
  LiveConfig,
  LiveConfigOptions,
  ShownConfig,
} from "./live/live-config.ts";
export { openLiveConfig } from "./live/live-config.ts";
export type { ConfigKind } from "./live/stored-entries.ts";
export { configSchema, readConfig } from "./read-config.ts";
export { readSecret, redact } from "./secrets.ts";
