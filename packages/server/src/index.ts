export type { Server } from "./create-server.ts";
export { createServer, ROUTES } from "./create-server.ts";
export type {
  CasePage,
  ComparedExperiments,
  Evaluations,
  ExperimentList,
  ExperimentQuery,
  ListedExperiment,
  NewCase,
} from "./evals/evaluations.ts";
export type { Route } from "./host/route.ts";
export type {
  A2aServing,
  McpServing,
  PageFile,
  PermissionPreview,
  PreviewedCall,
  PreviewPermission,
  PushNotifications,
  PushOptions,
  RouteGroup,
  ServerHost,
  ServerOptions,
} from "./host/server-host.ts";
export type { McpLines } from "./mcp/serve-lines.ts";
export { serveMcpLines } from "./mcp/serve-lines.ts";
export type { JsonSchema, Operation, OperationAnswer, OperationBody } from "./openapi/operation.ts";
export type { RouteHandlers } from "./route-handlers.ts";
export { routeHandlers } from "./route-handlers.ts";
export type { AccessLimits } from "./security/access-limits.ts";
export { DEFAULT_ACCESS_LIMITS } from "./security/access-limits.ts";
export { anyOf } from "./security/any-of.ts";
export type { ApiKeyInfo, ApiKeys, NewApiKey } from "./security/api-keys.ts";
export { createApiKeys } from "./security/api-keys.ts";
export type { JwtAlgorithm, JwtClaims, JwtOptions } from "./security/jwt.ts";
export { createJwtAuthenticate, JWT_ALGORITHMS } from "./security/jwt.ts";
export type { Authenticate, Principal, Scope } from "./security/principal.ts";
export { SCOPES } from "./security/principal.ts";
export type { StreamLimits } from "./sse/open-streams.ts";
export { DEFAULT_STREAM_LIMITS } from "./sse/open-streams.ts";
export { findScheduleProblem } from "./triggers/cron-times.ts";
export type { Schedules, SchedulesOptions } from "./triggers/open-schedules.ts";
export { openSchedules } from "./triggers/open-schedules.ts";
