import type { Egress } from "@reprise/contracts";
import type { CallPreview, Runtime, TenantRuntime } from "@reprise/runtime";
import type { Json } from "@reprise/state";
import type { LiveConfig } from "../config/live/live-config.ts";
import type { Evaluations } from "../evals/evaluations.ts";
import { printError } from "../http/print-error.ts";
import { ServerMetrics } from "../http/server-metrics.ts";
import { StoreProbe } from "../http/store-probe.ts";
import { AccessGate, type AccessLimits } from "../security/access-limits.ts";
import { LOOPBACK_HOSTS } from "../security/check-host.ts";
import type { Authenticate, Principal } from "../security/principal.ts";
import { DEFAULT_STREAM_LIMITS, OpenStreams, type StreamLimits } from "../sse/open-streams.ts";

/** Routes that are mounted together. */
export type RouteGroup =
  | "health"
  | "threads"
  | "runs"
  | "decisions"
  | "agents"
  | "workflows"
  | "evals"
  | "ag-ui"
  | "ai-sdk"
  | "a2a"
  | "mcp"
  | "blobs"
  | "keys"
  | "config"
  | "openapi";

/** A file for browsers, served as it is. */
export interface PageFile {
  /** The whole path, as in `/` or `/page.css`. A part that begins with a colon stands for any text: `/runs/:id`. */
  readonly path: string;
  readonly contentType: string;
  readonly content: string;
  /** Its name changes with its content, so browsers keep it. */
  readonly isImmutable?: boolean;
  /** Shows pages of others to pages of this server, in a frame: their scripts run without an origin and without a network. */
  readonly isFrame?: boolean;
}

/** A call that was not made yet. */
export interface PreviewedCall {
  readonly agent_id: string;
  readonly tool_id: string;
  readonly arguments: Json;
}

/** The decision that a call would get, and its source. */
export type PermissionPreview = CallPreview;

/** Asks the permission plugin for its verdict on a call, without making the call. */
export type PreviewPermission = (
  call: PreviewedCall,
  principal: Principal,
) => PermissionPreview | Promise<PermissionPreview>;

/** What MCP clients see. */
export interface McpServing {
  /** The agents that they can call; all of them unless given. */
  readonly agents?: readonly string[];
  /** Tools of agents that they can call without the agent's model. None unless given. */
  readonly tools?: readonly { readonly agent: string; readonly tool: string }[];
  /** How long a client that can follow tasks waits before its call becomes one. 5,000 unless given. */
  readonly taskAfterMs?: number;
}

/** How A2A clients are answered. */
export interface A2aServing {
  /**
   * Whether a message that begins a task is answered with a message alone, when its run completes. The run is stored like any other. A run
   * that asks, fails or is cancelled is answered with its task. Never, unless given.
   */
  readonly answersWithMessage?: (asked: { readonly agentId: string; readonly messageId: string }) => boolean;
}

export interface ServerOptions {
  readonly runtime: Runtime;
  /** Authenticates requests. Without it every request is accepted, and the server listens on the loopback address only. */
  readonly authenticate?: Authenticate;
  /** Names this server is reached by, with or without a port, beside those of the loopback address. */
  readonly allowedHosts?: readonly string[];
  /** Origins whose pages may use this server, exactly as browsers send them: `https://app.example.com`. */
  readonly allowedOrigins?: readonly string[];
  /** How often one may ask. On a server with authentication there are limits unless others are given; `Infinity` is none. */
  readonly limits?: Partial<AccessLimits>;
  /** Addresses of the proxies in front, as `10.0.0.0/8`: only what these say about where a request came from is believed. */
  readonly trustedProxies?: readonly string[];
  /** The longest body that is read; 1 MiB unless given. */
  readonly maxBodyBytes?: number;
  /** The largest file that is taken; 256 MiB unless given. */
  readonly maxBlobBytes?: number;
  /**
   * Sends those who ask for a file to the object store that has it, by a link that works for so many seconds. Files that are elsewhere
   * are sent from here, and all of them are unless this is given.
   */
  readonly blobLinkSeconds?: number;
  /** Where browsers reach this server, when that is not what requests say: `https://agents.example.com/api`. */
  readonly publicUrl?: string;
  readonly streams?: Partial<StreamLimits>;
  /** The groups of routes that it answers; all of them unless given. A process that only works answers `health`. */
  readonly groups?: readonly RouteGroup[];
  /** The configuration that can be read and changed over HTTP. Without it, it cannot. */
  readonly config?: LiveConfig;
  /** Files for browsers, readable without authentication. */
  readonly pages?: readonly PageFile[];
  /** Says what would happen to a call, for `POST /v1/permissions/preview`. The tool itself does unless given. */
  readonly previewPermission?: PreviewPermission;
  /** Makes cases of runs and reads kept experiments: `evaluations()` of `reprise/evals`. Without it, their routes answer 404. */
  readonly evals?: Evaluations;
  /** Sends push notifications to the receivers that A2A clients name. Without it there are none. */
  readonly push?: PushOptions;
  /** How A2A clients are answered: with tasks, unless given. */
  readonly a2a?: A2aServing;
  /** What MCP clients see at `/mcp`: every agent, and no tool, unless given. */
  readonly mcp?: McpServing;
  /** The secrets that webhooks are signed with, by the names that workflows give them. Without it no webhook is accepted. */
  readonly secret?: (name: string) => string | undefined;
  /** Gets errors that no client caused. Printed without credentials unless given. */
  readonly onError?: (error: unknown) => void;
}

/** How push notifications are sent. */
export interface PushOptions {
  /** Sends requests to the addresses that clients name. */
  readonly egress: Egress;
  /** Origins of receivers that the operator vouches for, as `http://127.0.0.1:9000`: they may be in a private network. */
  readonly privateOrigins?: readonly string[];
  /** How often the tasks of all processes are looked through for updates that are due; 5 seconds unless given. */
  readonly intervalMs?: number;
}

/** Sends the updates of tasks to the receivers that are stored for them. */
export interface PushNotifications {
  /** What is wrong with a receiver. */
  findProblem(receiver: {
    readonly url: string;
    readonly authentication?: { readonly scheme: string; readonly credentials?: string };
  }): string | undefined;
  /** Has a task's receivers looked at now, and each time its run waits or ends in this process. */
  watch(tenant: string, runId: string): void;
  /** The keys that notifications are signed with, as a JSON Web Key Set. */
  publicKeys(): Promise<object>;
}

/** Tells MCP clients that listen when their list of tools has changed. */
export interface McpToolLists {
  /** Calls the listener after each change for the tenant. Returns the way to stop. */
  subscribe(runtime: TenantRuntime, listener: () => void): () => void;
}

/** The parts of a server that are made of its options. */
export interface ServerParts {
  readonly push: PushNotifications | undefined;
  readonly mcpToolLists: McpToolLists;
}

/** The services that all routes of a server share. */
export interface ServerHost {
  readonly runtime: Runtime;
  readonly authenticate: Authenticate | undefined;
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  readonly access: AccessGate;
  readonly maxBodyBytes: number;
  readonly maxBlobBytes: number;
  readonly blobLinkSeconds: number | undefined;
  readonly publicUrl: string | undefined;
  readonly streams: OpenStreams;
  readonly config: LiveConfig | undefined;
  readonly metrics: ServerMetrics;
  readonly probe: StoreProbe;
  /** Aborted when the process is about to stop: it is not ready any more. */
  readonly retirement: AbortController;
  readonly previewPermission: PreviewPermission | undefined;
  readonly evals: Evaluations | undefined;
  readonly push: PushNotifications | undefined;
  readonly a2a: A2aServing;
  readonly mcp: McpServing;
  readonly mcpToolLists: McpToolLists;
  secret(name: string): string | undefined;
  report(error: unknown): void;
}

const MAX_BODY_BYTES = 1_048_576;
const MAX_BLOB_BYTES = 268_435_456;

export function createServerHost(options: ServerOptions, { push, mcpToolLists }: ServerParts): ServerHost {
  return {
    runtime: options.runtime,
    authenticate: options.authenticate,
    allowedHosts: [...LOOPBACK_HOSTS, ...(options.allowedHosts ?? []).map((host) => host.toLowerCase())],
    allowedOrigins: options.allowedOrigins ?? [],
    access: new AccessGate({
      limits: options.limits ?? {},
      isAuthenticated: options.authenticate !== undefined,
      trustedProxies: options.trustedProxies ?? [],
    }),
    maxBodyBytes: options.maxBodyBytes ?? MAX_BODY_BYTES,
    maxBlobBytes: options.maxBlobBytes ?? MAX_BLOB_BYTES,
    blobLinkSeconds: options.blobLinkSeconds,
    publicUrl: options.publicUrl?.replace(/(?<!\/)\/+$/, ""),
    streams: new OpenStreams({ ...DEFAULT_STREAM_LIMITS, ...options.streams }),
    config: options.config,
    metrics: new ServerMetrics(),
    probe: new StoreProbe(options.runtime),
    retirement: new AbortController(),
    previewPermission: options.previewPermission,
    evals: options.evals,
    push,
    a2a: options.a2a ?? {},
    mcp: options.mcp ?? {},
    secret: options.secret ?? (() => undefined),
    mcpToolLists,
    report: options.onError ?? printError,
  };
}
