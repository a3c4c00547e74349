import { createHash } from "node:crypto";
import type { Durability } from "@reprise/contracts";
import type { Database } from "../postgres/database.ts";
import { openPostgresDriver, type PostgresStore, type PostgresStoreOptions } from "../postgres/open-postgres-store.ts";
import { rowsOf } from "../postgres/session.ts";
import { composed } from "../postgres/statement.ts";
import { createDurableStore } from "../shell/create-durable-store.ts";
import { withBlobs } from "../shell/with-blobs.ts";
import type { BufferPorts } from "./buffer-ports.ts";
import { assertPrefix, subjectOf } from "./buffer-subject.ts";
import { BufferedDriver } from "./buffered-driver.ts";
import { connectNats, type NatsOptions } from "./connect-nats.ts";
import { createLook } from "./look.ts";
import { recoverThreads } from "./recover-threads.ts";

export interface NatsBufferedStoreOptions {
  readonly nats: NatsOptions;
  /** The database behind the buffer, as for `openPostgresStore`. */
  readonly postgres: PostgresStoreOptions;
  /** The JetStream stream; made when it is not there. `reprise_buffer`. Stores of several databases share it. */
  readonly stream?: string;
  /** What its subjects begin with. `reprise.buffer`. */
  readonly prefix?: string;
  /** How many servers keep the stream, when it is made. 1. */
  readonly replicas?: number;
  /** How many commits of a thread may wait for the database. 64. */
  readonly maxPendingCommits?: number;
  /** How many bytes of them. 4 MiB. */
  readonly maxPendingBytes?: number;
  /** How long the oldest of them may wait: so far behind is what other processes see of a run. 30 s. */
  readonly maxPendingMs?: number;
  /** How long to wait for an answer of NATS before the database is used instead. 2 s. */
  readonly natsTimeoutMs?: number;
}

/** A store in Postgres whose runs write to JetStream while they are running. */
export interface NatsBufferedStore extends PostgresStore {
  /**
   * Stores what processes that are gone left in the stream, of runs that no worker has. To be called at a start; claiming does
   * the same for what it claims.
   */
  recover(): Promise<{ readonly recovered: number }>;
}

/** Opens a Postgres store with a write buffer in front of it. Every process that claims from this database has to use it. */
export async function openNatsBufferedStore(options: NatsBufferedStoreOptions): Promise<NatsBufferedStore> {
  const { prefix = "reprise.buffer" } = options;
  assertPrefix(prefix);
  const postgres = await openPostgresDriver(options.postgres);
  const { driver: inner, database, blobs } = postgres;
  try {
    const subjectRoot = `${prefix}.${await identify(database, options.postgres.schema ?? "reprise")}`;
    const { stream, durability } = await connectNats(options.nats, settingsOf(options, prefix));
    const ports: BufferPorts = {
      inner,
      stream,
      bounds: boundsOf(options),
      subjectOf: (tenant, threadId) => subjectOf(subjectRoot, tenant, threadId),
      look: createLook(postgres),
    };
    const driver = new BufferedDriver(ports, weaker(inner.durability, durability));
    const recover = async () => ({ recovered: await recoverThreads(ports, driver, subjectRoot) });
    return {
      ...withBlobs(createDurableStore(driver), {
        rows: blobs,
        objects: options.postgres.blobs,
        now: () => inner.estimateNow(),
      }),
      recover,
    };
  } catch (error) {
    await inner.close();
    throw error;
  }
}

/** Short for `openNatsBufferedStore`: `createRuntime({ agents, store: natsBuffered(natsUrl, postgresUrl) })`. */
export function natsBuffered(
  nats: string | NatsOptions,
  postgres: string | PostgresStoreOptions,
  options?: Omit<NatsBufferedStoreOptions, "nats" | "postgres">,
): Promise<NatsBufferedStore> {
  return openNatsBufferedStore({
    ...options,
    nats: typeof nats === "string" ? { servers: nats } : nats,
    postgres: typeof postgres === "string" ? { url: postgres } : postgres,
  });
}

function settingsOf(
  { stream: name = "reprise_buffer", replicas = 1, natsTimeoutMs: timeoutMs = 2_000 }: NatsBufferedStoreOptions,
  prefix: string,
) {
  return { name, prefix, replicas, timeoutMs };
}

function boundsOf({
  maxPendingCommits = 64,
  maxPendingBytes = 4 * 1_048_576,
  maxPendingMs = 30_000,
}: NatsBufferedStoreOptions) {
  return { maxCommits: maxPendingCommits, maxBytes: maxPendingBytes, maxWaitMs: maxPendingMs };
}

/** The same whatever the connection's time zone is. */
const MADE_AT = "select (extract(epoch from made_at) * 1000000)::bigint as made_at from schema_steps where step = 1";

/** A name for the database's schema that no other one has, not even one that was made anew under its name. */
async function identify(database: Database, schema: string): Promise<string> {
  const asked = await database.read([composed(MADE_AT, [])]);
  const [first] = rowsOf<{ readonly made_at: number }>(asked);
  return createHash("sha256").update(`${schema} ${first?.made_at}`).digest("base64url").slice(0, 16);
}

function weaker(one: Durability, other: Durability): Durability {
  return one === "power-loss" ? other : one;
}
