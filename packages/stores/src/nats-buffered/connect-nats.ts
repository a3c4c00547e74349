import type { Durability } from "@reprise/contracts";
import { BufferStream } from "./buffer-stream.ts";
import { loadNatsPackages, type NatsConfig, type NatsConnection, type StreamInfo } from "./nats-client.ts";
import { fromNatsError } from "./nats-errors.ts";
import type { StreamSettings } from "./stream-config.ts";

/** What a server's monitoring page says of it, as far as it matters here. */
interface ServerReport {
  readonly server_id?: unknown;
  readonly server_name?: unknown;
  readonly jetstream?: { readonly config?: { readonly sync_always?: unknown } };
}

const TIMEOUT_MS = 2_000;

/**
 * What the servers of a stream really promise. By default they acknowledge before they flush, and a power cut takes what was
 * acknowledged; only when each of them says that it flushes every time, it does not. Not heard is not promised.
 */
async function readSync(
  connection: NatsConnection,
  stream: StreamInfo,
  monitorUrls: readonly string[],
): Promise<Durability> {
  const reports = await Promise.all(monitorUrls.map(readReport));
  const syncing = new Set(
    reports
      .filter((report) => report?.jetstream?.config?.sync_always === true)
      .flatMap((report) => [report?.server_id, report?.server_name]),
  );
  const { leader, replicas = [] } = stream.cluster ?? {};
  const keepers = [leader ?? connection.info?.server_id, ...replicas.map(({ name }) => name)];
  return keepers.every((name) => name !== undefined && syncing.has(name)) ? "power-loss" : "process-crash";
}

async function readReport(monitorUrl: string): Promise<ServerReport | undefined> {
  try {
    const response = await fetch(new URL("/varz", monitorUrl), { signal: AbortSignal.timeout(TIMEOUT_MS) });
    const report: unknown = await response.json();
    // Every field is looked at as something unknown.
    return typeof report === "object" && report !== null ? (report as ServerReport) : undefined;
  } catch {
    return undefined;
  }
}

/** How to reach the NATS servers. */
export interface NatsOptions {
  /** `nats://host:port`, or several. */
  readonly servers: string | readonly string[];
  /** Whatever else `connect` of `@nats-io/transport-node` takes: `user`, `pass`, `token`, `authenticator`, `tls`. */
  readonly connection?: NatsConfig;
  /**
   * The monitoring pages of the servers that keep the stream (`http://host:8222`). When each of them says that it flushes every
   * message (`sync_interval: always`), the store says that it survives a power cut.
   */
  readonly monitorUrls?: readonly string[];
}

/** A stream that is there, and what its servers promise. */
export interface ConnectedStream {
  readonly stream: BufferStream;
  readonly durability: Durability;
}

/** Connects, and makes the stream when it is not there. `STORE_UNAVAILABLE` when that cannot be done now. */
export async function connectNats(options: NatsOptions, settings: StreamSettings): Promise<ConnectedStream> {
  const packages = await loadNatsPackages();
  const connection = await packages
    .connect({
      name: "reprise",
      timeout: settings.timeoutMs,
      ...options.connection,
      servers: options.servers,
      // A server that is gone is waited for: meanwhile everything goes to the database.
      maxReconnectAttempts: -1,
      reconnectTimeWait: 200,
    })
    .catch((error: unknown) => {
      throw fromNatsError(error);
    });
  try {
    const manager = await packages.jetstreamManager(connection, { checkAPI: false, timeout: settings.timeoutMs });
    const stream = new BufferStream({ connection, client: packages.jetstream(connection), manager, settings });
    const info = await stream.ensure();
    return { stream, durability: await readSync(connection, info, options.monitorUrls ?? []) };
  } catch (error) {
    await connection.close();
    throw fromNatsError(error);
  }
}
