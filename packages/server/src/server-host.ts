import type { Runtime } from "@reprise/runtime";
import { ServerMetrics } from "./http/server-metrics.ts";
import { LOOPBACK_HOSTS } from "./security/check-host.ts";
import type { Authenticate } from "./security/principal.ts";
import { DEFAULT_STREAM_LIMITS, OpenStreams, type StreamLimits } from "./sse/open-streams.ts";

export interface ServerOptions {
  readonly runtime: Runtime;
  /** Who may ask. Without it everybody may, and the server listens on the loopback address alone. */
  readonly authenticate?: Authenticate;
  /** Names this server is reached by, with or without a port, beside those of the loopback address. */
  readonly allowedHosts?: readonly string[];
  /** Origins whose pages may use this server, exactly as browsers send them: `https://app.example.com`. */
  readonly allowedOrigins?: readonly string[];
  /** The longest body that is read; 1 MiB unless given. */
  readonly maxBodyBytes?: number;
  readonly streams?: Partial<StreamLimits>;
  /** Told of errors that are nobody's fault outside. Printed to the console unless given. */
  readonly onError?: (error: unknown) => void;
}

/** What all routes of a server share. */
export interface ServerHost {
  readonly runtime: Runtime;
  readonly authenticate: Authenticate | undefined;
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  readonly maxBodyBytes: number;
  readonly streams: OpenStreams;
  readonly metrics: ServerMetrics;
  report(error: unknown): void;
}

const MAX_BODY_BYTES = 1_048_576;

export function createServerHost(options: ServerOptions): ServerHost {
  return {
    runtime: options.runtime,
    authenticate: options.authenticate,
    allowedHosts: [...LOOPBACK_HOSTS, ...(options.allowedHosts ?? []).map((host) => host.toLowerCase())],
    allowedOrigins: options.allowedOrigins ?? [],
    maxBodyBytes: options.maxBodyBytes ?? MAX_BODY_BYTES,
    streams: new OpenStreams({ ...DEFAULT_STREAM_LIMITS, ...options.streams }),
    metrics: new ServerMetrics(),
    report: options.onError ?? ((error) => console.error(error)),
  };
}
