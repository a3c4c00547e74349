import type { Durability } from "@reprise/contracts";
import { BufferStream } from "./buffer-stream.ts";
import { loadNatsPackages, type NatsConfig } from "./nats-client.ts";
import { fromNatsError } from "./nats-errors.ts";
import { readSync } from "./read-sync.ts";
import type { StreamSettings } from "./stream-config.ts";

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
