export type { CheckedConfig } from "./check-config.ts";
export { checkConfig } from "./check-config.ts";
export type {
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
export type {
  ConfigEntry,
  ExpectedRevision,
  LiveConfig,
  LiveConfigOptions,
  ShownConfig,
} from "./live/live-config.ts";
export { openLiveConfig } from "./live/live-config.ts";
export type { ConfigKind } from "./live/stored-entries.ts";
export { configSchema, readConfig } from "./read-config.ts";
export { readSecret, redact } from "./secrets.ts";
