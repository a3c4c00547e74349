import { createHash } from "node:crypto";
import {
  changeState,
  emitEffect,
  type PhaseAction,
  type PhaseContext,
  type Plugin,
  type PluginPart,
  RepriseError,
  type Tool,
  type ToolSourceView,
} from "@reprise/contracts";
import { definePlugin } from "@reprise/runtime";
import { definePluginSettings } from "../settings/plugin-settings.ts";
import { McpCalls, stopTask } from "./call-tool.ts";
import { McpConnection } from "./connection.ts";
import { createContentTools } from "./content-tools.ts";
import { findServerProblem, type McpServerSettings, SETTINGS } from "./mcp-settings.ts";
import type { McpSampling, McpServerStatus } from "./mcp-types.ts";
import { mcpWaiting } from "./questions.ts";
import { mcpTasks } from "./tasks.ts";

/** Your settings for one tool of a server. They override the hints of the server. */
export interface McpToolOptions {
  readonly class?: "read_only" | "mutating";
  readonly destructive?: boolean;
  readonly idempotent?: boolean;
  readonly needsApproval?: boolean;
  /** Leaves the tool out. */
  readonly hidden?: boolean;
}

/** The options that all kinds of servers share. */
export interface McpServerLimits {
  /** The era of the protocol to speak: `auto` asks the server (the default), `legacy` is 2025, `modern` is 2026. */
  readonly protocol?: "auto" | "legacy" | "modern";
  /** Whether a run fails when the server cannot be reached. Otherwise it runs without its tools. */
  readonly required?: boolean;
  /** Ignores what the server says about its tools (read-only, idempotent): every tool counts as mutating. */
  readonly ignoreHints?: boolean;
  /** Your settings for single tools, by their name on the server. */
  readonly tools?: Readonly<Record<string, McpToolOptions>>;
  /** Whether the model may list and read the server's resources. True unless given. */
  readonly resources?: boolean;
  /** Whether the model may list and get the server's prompts. True unless given. */
  readonly prompts?: boolean;
  /** How long connecting and listing may take. 15,000 unless given. */
  readonly connectTimeoutMs?: number;
  /** How long a call may be silent. 60,000 unless given. */
  readonly timeoutMs?: number;
  /** How long a call may take in all. 600,000 unless given. */
  readonly maxCallMs?: number;
  /** How long a task may take that the server makes of a call. 86,400,000 (a day) unless given. */
  readonly maxTaskMs?: number;
  /** When tools are listed again without a notice of the server. 300,000 unless given. */
  readonly refreshIntervalMs?: number;
  readonly maxTools?: number;
  readonly maxDescriptionChars?: number;
  readonly maxResultBytes?: number;
}

/** A server that is started as a process. */
export interface McpCommand extends McpServerLimits {
  readonly command: string;
  readonly args?: readonly string[];
  /** Variables of its environment, beside a few harmless ones such as `PATH`. */
  readonly env?: Readonly<Record<string, string>>;
  /** Variables of our environment that it gets. */
  readonly inheritEnv?: readonly string[];
  readonly cwd?: string;
}

/** A token, a variable that holds one, or OAuth: a person lets us in once, and the tokens are kept as documents of the tenant. */
export type McpAuth =
  | { readonly kind: "bearer"; readonly token: string }
  | { readonly kind: "env"; readonly name: string }
  | {
      readonly kind: "oauth";
      /** Where the authorization server sends people back to. Give that address to `finishAuthorization`. */
      readonly redirectUrl: string;
      /** The client id metadata document of this installation. */
      readonly clientMetadataUrl?: string;
      /** A client that was registered before. */
      readonly clientId?: string;
      readonly clientSecret?: string;
      readonly scope?: string;
    };

/** A server at a URL (Streamable HTTP). */
export interface McpUrl extends McpServerLimits {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly auth?: McpAuth;
  /** Whether the host name may lead into a private network. `localhost` and IP addresses may. */
  readonly privateNetwork?: boolean;
}

export type McpServer = McpCommand | McpUrl;

export interface McpOptions {
  readonly servers?: Readonly<Record<string, McpServer>>;
  /** Answers servers that ask their client for a model's text. Without it servers are not offered sampling. */
  readonly sampling?: McpSampling;
}

/** The plugin, with what operators want to know and do. */
export interface McpPlugin extends Plugin {
  /** A plugin like this one with more servers, and with connections of its own. They count also where a configuration names servers. */
  withServers(servers: Readonly<Record<string, McpServer>>): McpPlugin;
  /** How each server is doing that was needed so far. */
  status(): readonly McpServerStatus[];
  /** Connects and lists tools now: of one server, or of all that were needed so far. The list before stays when that fails. */
  refresh(server?: string): Promise<void>;
  /**
   * Lets us into a server that has the status `needs_authorization`: `callback` is the whole address that the authorization server sent the
   * person back to. Each tenant authorizes for itself.
   */
  finishAuthorization(server: string, callback: string, tenant?: string): Promise<void>;
}

const DEFAULT_TENANT = "default";

/** The tools of MCP servers as tools of an agent, with the ids `mcp__server__tool`. */
export function mcp(options: McpOptions = {}): McpPlugin {
  return createMcp(options, {});
}

type AddedServers = Readonly<Record<string, McpServerSettings>>;

function createMcp(options: McpOptions, added: AddedServers): McpPlugin {
  const { sampling, ...given } = options;
  const settings = definePluginSettings("mcp", SETTINGS, given);
  const calls = new McpCalls(sampling);
  /** Agents with the same settings of a server share its connection. */
  const connections = new Map<string, McpConnection>();
  const lists: KnownLists = new WeakMap();

  const open = (server: string, own: McpServerSettings, tenant: string): McpConnection => {
    // What a person may see at a server is for their tenant alone.
    const key = JSON.stringify([server, own, own.auth?.kind === "oauth" ? tenant : ""]);
    const known = connections.get(key);
    if (known !== undefined) return known;
    const problem = findServerProblem(server, own);
    if (problem !== undefined) throw new RepriseError("INVALID_PLUGIN_CONFIG", problem, { details: { server } });
    const connection: McpConnection = new McpConnection({
      id: createHash("sha256").update(key).digest("hex").slice(0, 16),
      server,
      settings: own,
      capabilities: calls.capabilities,
      configure: (client) => calls.configure(() => connection, client),
      execute: (call) => calls.execute(call),
    });
    connections.set(key, connection);
    return connection;
  };
  const connectionsOf = (view: Pick<ToolSourceView, "section" | "tenant">): readonly McpConnection[] =>
    Object.entries({ ...settings.read(view).servers, ...added }).map(([server, own]) => open(server, own, view.tenant));

  /** Has the servers end the tasks of a call, or all of a run. */
  const stopTasks = (context: PhaseContext, callId?: string): readonly PhaseAction<"effect">[] => {
    const open = Object.entries(context.state.get(mcpTasks)).filter(
      ([call]) => callId === undefined || call === callId,
    );
    if (open.length === 0) return [];
    const reached = connectionsOf(context);
    return open.flatMap(([, { server, task_id }]) => {
      const connection = reached.find((each) => each.server === server)?.id;
      return connection === undefined ? [] : [emitEffect("stop_task", { connection, task_id })];
    });
  };

  // Mistakes in code are reported at once.
  connectionsOf({ section: () => undefined, tenant: DEFAULT_TENANT });
  const plugin = definePlugin({
    id: "mcp",
    sections: settings.sections,
    states: [mcpWaiting, mcpTasks],
    toolSource: {
      list: (view) => joined(lists, connectionsOf(view)),
      prepare: (context) => {
        const waits = connectionsOf(context).flatMap((connection) => connection.prepare(context) ?? []);
        return waits.length === 0 ? undefined : Promise.all(waits).then(() => undefined);
      },
    },
    hooks: {
      afterToolExecute(context) {
        const { call, outcome } = context;
        if (outcome !== "denied" && outcome !== "expired") return [];
        calls.drop(call.callId);
        return [...stopTasks(context, call.callId), changeState(mcpTasks.close(call.callId))];
      },
      runEnd: (context) => (context.termination.type === "suspended" ? [] : stopTasks(context)),
    },
    parts: (view) => connectionsOf(view).map((connection) => describeServer(connection.status())),
    effects: {
      async stop_task(payload) {
        const { connection, task_id: taskId } = payload as { readonly connection: string; readonly task_id: string };
        const found = [...connections.values()].find(({ id }) => id === connection);
        if (found !== undefined) await stopTask(found, taskId);
      },
    },
    close: async () => {
      calls.close();
      await Promise.all([...connections.values()].map((connection) => connection.close()));
    },
  });
  return Object.freeze({
    ...plugin,
    withServers: (servers: Readonly<Record<string, McpServer>>) => {
      const more = definePluginSettings("mcp", SETTINGS, { servers }).read({ section: () => undefined });
      return createMcp(options, { ...added, ...more.servers });
    },
    status: () => [...connections.values()].map((connection) => connection.status()),
    finishAuthorization: async (server: string, callback: string, tenant: string = DEFAULT_TENANT) => {
      const own = { section: () => undefined, tenant };
      const known = [...connections.entries()].filter(([key]) => JSON.parse(key)[2] === tenant).map(([, each]) => each);
      const found = [...connectionsOf(own), ...known].find((each) => each.server === server && each.isAuthorizing);
      if (found === undefined)
        throw new RepriseError(
          "INVALID_REQUEST",
          `The MCP server ${JSON.stringify(server)} waits for no authorization.`,
        );
      await found.finishAuthorization(callback);
    },
    refresh: async (server?: string) => {
      const chosen = [...connections.values()].filter(
        (connection) => server === undefined || connection.server === server,
      );
      if (chosen.length === 0 && server !== undefined)
        throw new RepriseError("INVALID_REQUEST", `There is no MCP server ${JSON.stringify(server)}.`);
      await Promise.all(chosen.map((connection) => connection.refresh()));
    },
  });
}

/** Lists that were joined before, by the list of the first server and the names of all. */
type KnownLists = WeakMap<
  readonly Tool[],
  Map<string, { readonly of: readonly unknown[]; readonly all: readonly Tool[] }>
>;

/** The tools of all servers as one list. The same array is returned until a server changes. */
function joined(known: KnownLists, connections: readonly McpConnection[]): readonly Tool[] {
  const [first] = connections;
  if (first === undefined) return [];
  const key = connections.map(({ server }) => server).join();
  const byKey = known.get(first.tools) ?? new Map<string, { of: readonly unknown[]; all: readonly Tool[] }>();
  known.set(first.tools, byKey);
  const before = byKey.get(key);
  // A connection that learns anything new has a new list of tools.
  if (before?.of.every((tools, index) => tools === connections[index]?.tools)) return before.all;
  const all = [...connections.flatMap(({ tools }) => tools), ...createContentTools(connections)];
  byKey.set(key, { of: connections.map(({ tools }) => tools), all });
  return all;
}

/** A server as pages show it. */
function describeServer(status: McpServerStatus): PluginPart {
  const { server, state, transport, protocolVersion, tools, leftOut, lastError, authorizationUrl } = status;
  const { consecutiveFailures, lastAttemptAt, lastSuccessAt } = status;
  const message = state === "needs_authorization" ? `Open ${authorizationUrl} to let the server in.` : lastError;
  return {
    kind: "mcp_server",
    name: server,
    state: state === "ready" && leftOut.length > 0 ? "warning" : state,
    ...(message !== undefined && state !== "ready" && { message }),
    details: {
      transport,
      tools: [...tools],
      left_out: leftOut.map(({ tool, reason }) => ({ tool, reason })),
      consecutive_failures: consecutiveFailures,
      ...(protocolVersion !== undefined && { protocol_version: protocolVersion }),
      ...(authorizationUrl !== undefined && { authorization_url: authorizationUrl }),
      ...(lastAttemptAt !== undefined && { last_attempt_at: lastAttemptAt }),
      ...(lastSuccessAt !== undefined && { last_success_at: lastSuccessAt }),
    },
  };
}
