import { Hono } from "hono";
import { PushSender } from "./a2a/push/push-sender.ts";
import type { Route, ServerEnv } from "./host/route.ts";
import { createServerHost, type RouteGroup, type ServerOptions } from "./host/server-host.ts";
import { printError } from "./http/print-error.ts";
import { ToolListWatches } from "./mcp/tool-list-watch.ts";
import { answerUnknown, mountRoutes } from "./mount-routes.ts";
import { pageRoutes } from "./page/page-routes.ts";
import { a2aRoutes } from "./routes/a2a-routes.ts";
import { agUiRoutes } from "./routes/ag-ui-routes.ts";
import { agentRoutes } from "./routes/agent-routes.ts";
import { aiSdkRoutes } from "./routes/ai-sdk-routes.ts";
import { blobRoutes } from "./routes/blob-routes.ts";
import { configRoutes } from "./routes/config-routes.ts";
import { costRoutes } from "./routes/cost-routes.ts";
import { decisionRoutes } from "./routes/decision-routes.ts";
import { describeApi } from "./routes/describe-api.ts";
import { evalRoutes } from "./routes/eval-routes.ts";
import { runExportRoutes, threadExportRoutes } from "./routes/export-routes.ts";
import { healthRoutes } from "./routes/health-routes.ts";
import { historyRoutes } from "./routes/history-routes.ts";
import { keyRoutes } from "./routes/key-routes.ts";
import { leaseRoutes } from "./routes/lease-routes.ts";
import { mailboxRoutes } from "./routes/mailbox-routes.ts";
import { mcpRoutes } from "./routes/mcp-routes.ts";
import { openApiRoutes } from "./routes/openapi-routes.ts";
import { replayRoutes } from "./routes/replay-routes.ts";
import { runEventRoutes } from "./routes/run-event-routes.ts";
import { runInputRoutes } from "./routes/run-input-routes.ts";
import { runRoutes } from "./routes/run-routes.ts";
import { threadRoutes } from "./routes/thread-routes.ts";
import { toolRoutes } from "./routes/tool-routes.ts";
import { webhookRoutes } from "./routes/webhook-routes.ts";
import { workflowRoutes } from "./routes/workflow-routes.ts";
import { workflowRunRoutes } from "./routes/workflow-run-routes.ts";

/** Every route, by the group it can be mounted with. */
export const ROUTES: Readonly<Record<RouteGroup, readonly Route[]>> = {
  health: healthRoutes,
  threads: [...threadRoutes, ...historyRoutes, ...mailboxRoutes, ...threadExportRoutes],
  runs: [
    ...runRoutes,
    ...runInputRoutes,
    ...runEventRoutes,
    ...replayRoutes,
    ...runExportRoutes,
    ...costRoutes,
    ...leaseRoutes,
  ],
  decisions: decisionRoutes,
  agents: [...agentRoutes, ...toolRoutes],
  workflows: [...workflowRoutes, ...webhookRoutes, ...workflowRunRoutes],
  evals: evalRoutes,
  "ag-ui": agUiRoutes,
  "ai-sdk": aiSdkRoutes,
  a2a: a2aRoutes,
  mcp: mcpRoutes,
  blobs: blobRoutes,
  keys: keyRoutes,
  config: configRoutes,
  openapi: openApiRoutes(() => describeApi(ROUTES)),
};

/** A runtime over HTTP. */
export interface Server {
  /** Answers a request. The second argument is what the platform brings, for Hono on Node. */
  fetch(request: Request, env?: ServerEnv["Bindings"]): Promise<Response>;
  /** Whether a route matches a request, regardless of scopes. */
  hasRoute(method: string, path: string): boolean;
  /** Groups of routes, each an app that can be mounted in another one. All of them share this server's settings. */
  readonly routes: Readonly<Record<RouteGroup, Hono<ServerEnv>>>;
  /** Whether it asks for credentials. */
  readonly isAuthenticated: boolean;
  /** Whether an address is that of a proxy in front. */
  isTrustedProxy(address: string): boolean;
  /** Answers `/ready` with 503 from now on, and everything else as before: for a load balancer to look elsewhere before the end. */
  retire(): void;
  /** Ends all streams; their clients reconnect to another process. Runs continue, and the runtime stays open. */
  close(): void;
}

export function createServer(options: ServerOptions): Server {
  const { runtime, onError = printError } = options;
  const push = options.push === undefined ? undefined : new PushSender(runtime, options.push, onError);
  const host = createServerHost(options, { push, mcpToolLists: new ToolListWatches(options.mcp ?? {}) });
  const stops = [host.metrics.runs.observe, ...(push === undefined ? [] : [push.observe])].map((observe) =>
    runtime.observe(observe),
  );
  const mounted = Object.entries(ROUTES).map(([group, routes]) => [group, mountRoutes(host, routes)] as const);
  // The same keys as before, which the types of the platform forget.
  const routes = Object.fromEntries(mounted) as Server["routes"];
  // With a slash at its end a path is the same: some clients add one.
  const app = new Hono<ServerEnv>({ strict: false });
  // All keys of the table, which the types of the platform forget.
  const groups = options.groups ?? (Object.keys(ROUTES) as RouteGroup[]);
  for (const group of groups) app.route("/", routes[group]);
  app.route("/", mountRoutes(host, pageRoutes(options.pages ?? [])));
  app.notFound((context) => answerUnknown(host, context));
  return {
    fetch: async (request, env) => app.fetch(request, env),
    hasRoute: (method, path) => app.router.match(method === "HEAD" ? "GET" : method, path)[0].length > 0,
    routes,
    isAuthenticated: options.authenticate !== undefined,
    isTrustedProxy: (address) => host.access.isProxy(address),
    retire: () => host.retirement.abort(),
    close: () => {
      for (const stop of stops) stop();
      push?.close();
      host.streams.close();
    },
  };
}
