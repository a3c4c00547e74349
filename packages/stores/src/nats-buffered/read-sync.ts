import type { Durability } from "@reprise/contracts";
import type { NatsConnection, StreamInfo } from "./nats-client.ts";

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
export async function readSync(
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
