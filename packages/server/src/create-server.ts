import { Hono } from "hono";
import { answerUnknown, mountRoutes } from "./http/mount-routes.ts";
import type { Route, ServerEnv } from "./http/route.ts";
import { agentRoutes } from "./routes/agent-routes.ts";
import { decisionRoutes } from "./routes/decision-routes.ts";
import { healthRoutes } from "./routes/health-routes.ts";
import { historyRoutes } from "./routes/history-routes.ts";
import { mailboxRoutes } from "./routes/mailbox-routes.ts";
import { runEventRoutes } from "./routes/run-event-routes.ts";
import { runInputRoutes } from "./routes/run-input-routes.ts";
import { runRoutes } from "./routes/run-routes.ts";
import { threadRoutes } from "./routes/thread-routes.ts";
import { createServerHost, type ServerOptions } from "./server-host.ts";

export type RouteGroup = "health" | "threads" | "runs" | "decisions" | "agents";

/** Every route, by the group it can be mounted with. */
export const ROUTES: Readonly<Record<RouteGroup, readonly Route[]>> = {
  health: healthRoutes,
  threads: [...threadRoutes, ...historyRoutes, ...mailboxRoutes],
  runs: [...runRoutes, ...runInputRoutes, ...runEventRoutes],
  decisions: decisionRoutes,
  agents: agentRoutes,
};

/** A runtime over HTTP. */
export interface Server {
  /** Answers a request. The second argument is what the platform brings, for Hono on Node. */
  fetch(request: Request, env?: ServerEnv["Bindings"]): Promise<Response>;
  /** Groups of routes, each an app that can be mounted in another one. All of them share this server's settings. */
  readonly routes: Readonly<Record<RouteGroup, Hono<ServerEnv>>>;
  /** Whether it asks for credentials. */
  readonly isAuthenticated: boolean;
  /** Ends all streams; their clients come back to whoever serves then. Runs go on, and the runtime stays open. */
  close(): void;
}

export function createServer(options: ServerOptions): Server {
  const host = createServerHost(options);
  const routes = {
    health: mountRoutes(host, ROUTES.health),
    threads: mountRoutes(host, ROUTES.threads),
    runs: mountRoutes(host, ROUTES.runs),
    decisions: mountRoutes(host, ROUTES.decisions),
    agents: mountRoutes(host, ROUTES.agents),
  };
  const app = new Hono<ServerEnv>();
  for (const group of Object.values(routes)) app.route("/", group);
  app.notFound((context) => answerUnknown(host, context.req.raw));
  return {
    fetch: async (request, env) => app.fetch(request, env),
    routes,
    isAuthenticated: options.authenticate !== undefined,
    close: () => host.streams.close(),
  };
}
