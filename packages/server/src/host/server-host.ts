import type { Egress } from "@reprise/contracts";
import type { CallPreview, Runtime } from "@reprise/runtime";
import type { Json } from "@reprise/state";
import type { LiveConfig } from "../config/live/live-config.ts";
import { printError } from "../http/print-error.ts";
import { ServerMetrics } from "../http/server-metrics.ts";
import { StoreProbe } from "../http/store-probe.ts";
import { AccessGate, type AccessLimits } from "../security/access-limits.ts";
import { LOOPBACK_HOSTS } from "../security/check-host.ts";
import type { Authenticate, Principal } from "../security/principal.ts";
import { DEFAULT_STREAM_LIMITS, OpenStreams, type StreamLimits } from "../sse/open-streams.ts";

/** A file for browsers, served as it is. */
export interface PageFile {
  /** The whole path, as in `/` or `/page.css`. */
  readonly path: string;
  readonly contentType: string;
  readonly content: string;
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
  /** Where browsers reach this server, when that is not what requests say: `https://agents.example.com/api`. */
  readonly publicUrl?: string;
  readonly streams?: Partial<StreamLimits>;
  /** The configuration that can be read and changed over HTTP. Without it, it cannot. */
  readonly config?: LiveConfig;
  /** Files for browsers, readable without authentication. */
  readonly pages?: readonly PageFile[];
  /** Says what would happen to a call, for `POST /v1/permissions/preview`. The tool itself does unless given. */
  readonly previewPermission?: PreviewPermission;
  /** Sends push notifications to the receivers that A2A clients name. Without it there are none. */
  readonly push?: PushOptions;
  /** What MCP clients see at `/mcp`: every agent, and no tool, unless given. */
  readonly mcp?: McpServing;
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

/** The services that all routes of a server share. */
export interface ServerHost {
  readonly runtime: Runtime;
  readonly authenticate: Authenticate | undefined;
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  readonly access: AccessGate;
  readonly maxBodyBytes: number;
  readonly maxBlobBytes: number;
  readonly publicUrl: string | undefined;
  readonly streams: OpenStreams;
  readonly config: LiveConfig | undefined;
  readonly metrics: ServerMetrics;
  readonly probe: StoreProbe;
  readonly previewPermission: PreviewPermission | undefined;
  readonly push: PushNotifications | undefined;
  readonly mcp: McpServing;
  report(error: unknown): void;
}

const MAX_BODY_BYTES = 1_048_576;
const MAX_BLOB_BYTES = 268_435_456;

export function createServerHost(options: ServerOptions, push: PushNotifications | undefined): ServerHost {
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
    publicUrl: options.publicUrl?.replace(/(?<!\/)\/+$/, ""),
    streams: new OpenStreams({ ...DEFAULT_STREAM_LIMITS, ...options.streams }),
    config: options.config,
    metrics: new ServerMetrics(),
    probe: new StoreProbe(options.runtime),
    previewPermission: options.previewPermission,
    push,
    mcp: options.mcp ?? {},
    report: options.onError ?? printError,
  };
}
