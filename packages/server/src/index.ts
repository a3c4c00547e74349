export type { RouteGroup, Server } from "./create-server.ts";
export { createServer, ROUTES } from "./create-server.ts";
export type { Call, Route, ServerEnv } from "./http/route.ts";
export type { Authenticate, Principal, Scope } from "./security/principal.ts";
export { SCOPES } from "./security/principal.ts";
export type { ServerHost, ServerOptions } from "./server-host.ts";
export type { StreamLimits } from "./sse/open-streams.ts";
export { DEFAULT_STREAM_LIMITS } from "./sse/open-streams.ts";
