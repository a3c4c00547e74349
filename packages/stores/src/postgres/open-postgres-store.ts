import { createHash, randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import {
  type BlobStore,
  type Clock,
  type Durability,
  invalidRequest,
  RepriseError,
  type Store,
  type StoreSignal,
} from "@reprise/contracts";
import type { BlobObjects } from "../shell/blob-objects.ts";
import type { BlobRows } from "../shell/blob-rows.ts";
import { sweepBlobs } from "../shell/blob-sweep.ts";
import { createDurableStore } from "../shell/create-durable-store.ts";
import { SignalBoard } from "../shell/signal-board.ts";
import { withBlobs } from "../shell/with-blobs.ts";
import { Batcher } from "./batcher.ts";
import { ConnectionPool } from "./connection-pool.ts";
import { Database } from "./database.ts";
import { HeldNames } from "./held-names.ts";
import { HeldWriter } from "./held-writer.ts";
import { assertSchemaName, assertUpToDate, migrate } from "./migrate.ts";
import { createPartitionedStore } from "./partitions/create-partitioned-store.ts";
import { Partitions } from "./partitions/partition.ts";
import { assertAlone, joinSet } from "./partitions/partition-set.ts";
import { loadPgDriver, type PgClient, type PgConfig, type PgDriver } from "./pg-driver.ts";
import { createPostgresBlobRows } from "./postgres-blob-store.ts";
import { createPostgresDocuments } from "./postgres-documents.ts";
import { PostgresDriver } from "./postgres-driver.ts";
import { createPostgresWorkers } from "./postgres-workers.ts";
import { ServerClock } from "./server-clock.ts";
import { rowsOf } from "./session.ts";
import { SignalReceiver } from "./signal-receiver.ts";
import { SignalSender } from "./signal-sender.ts";
import { composed } from "./statement.ts";
import { ThreadPoll } from "./thread-poll.ts";

/** How long until a server that could not be reached is tried again. */
const AGAIN_MS = 2_000;

/** Reasons of `STORE_UNAVAILABLE` that pass by themselves. A wrong password or a missing database does not. */
const PASSING: ReadonlySet<unknown> = new Set(["connection", "shutdown", "too_many_connections"]);

interface Patience {
  readonly waitMs?: number;
  readonly onWait?: (problem: RepriseError) => void;
}

/** Does work that needs the server, and tries again while the server cannot be reached and `waitMs` is not over. */
async function whenReached(
  work: () => Promise<void>,
  { waitMs = Number.POSITIVE_INFINITY, onWait = say }: Patience,
): Promise<void> {
  const giveUpAt = performance.now() + waitMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isPassing(error) || performance.now() >= giveUpAt) throw error;
      onWait(error);
      await pause(AGAIN_MS);
    }
  }
}

function isPassing(error: unknown): error is RepriseError {
  return RepriseError.is(error, "STORE_UNAVAILABLE") && PASSING.has(error.details.reason);
}

function say({ message, cause }: RepriseError): void {
  const why = cause instanceof Error && cause.message !== "" ? ` (${cause.message})` : "";
  console.warn(`${message}${why} Trying again in ${AGAIN_MS / 1_000} s.`);
}

/** How to reach the server. What is left out comes from `PGHOST`, `PGUSER` and their like. */
export interface PostgresConnection {
  readonly host?: string;
  readonly port?: number;
  readonly user?: string;
  /** A function is asked for each connection: for passwords that expire. */
  readonly password?: string | (() => string | Promise<string>);
  readonly database?: string;
  /** As for `tls.connect`; true for the usual checks. */
  readonly ssl?: boolean | Readonly<Record<string, unknown>>;
}

export interface PostgresStoreOptions {
  /** `postgres://user:password@host:port/database`. */
  readonly url?: string;
  /**
   * Instead of one URL, those of several empty databases that threads are spread over: a partitioned store. Their number and order stay.
   * Settings such as `maxConnections` are for each of them.
   */
  readonly urls?: readonly string[];
  /** Instead of a URL, or beside it for what it does not say. */
  readonly connection?: PostgresConnection;
  /** Where its tables are; made when it is not there. `reprise`. Several stores share a database by it. */
  readonly schema?: string;
  /**
   * Whether opening makes the tables or brings them up to date. True; with false a schema that is not up to date is refused with
   * `SCHEMA_OUTDATED`, and left as it is.
   */
  readonly migrates?: boolean;
  /** The most connections at a time, beside the one that listens. 10. */
  readonly maxConnections?: number;
  /** How long to wait for a connection, also for one of ours to become free. 10 s. */
  readonly connectTimeoutMs?: number;
  /** How long opening waits for a server that cannot be reached, since it may be starting. No limit; 0 fails at once. */
  readonly waitMs?: number;
  /** Called each time the server cannot be reached and is tried again. Prints to standard error unless given. */
  readonly onWait?: (problem: RepriseError) => void;
  /** How long one statement may take, waiting for locks included. 30 s. */
  readonly statementTimeoutMs?: number;
  /** After this a connection that no caller uses is closed. 30 s. */
  readonly idleTimeoutMs?: number;
  /** How often to look for what others did while the connection that listens is lost. 500 ms. */
  readonly pollMs?: number;
  /** Where the bytes of larger blobs are, as `s3(…)` of `@reprise/stores/s3`. In the database unless given. */
  readonly blobs?: BlobObjects;
  /** The store's time. The database's unless a test has its own. */
  readonly clock?: Pick<Clock, "now">;
}

/** A store in a schema of a Postgres database, and its blobs. */
export interface PostgresStore extends Store {
  readonly blobs: BlobStore;
}

/** How many batches are written at the same time: while one waits for the server, the next is planned. */
const LANES = 3;

/** The same for held writes. Fewer lanes make larger batches, and there is nothing to plan in between. */
const HELD_LANES = 2;

/** As many as an id can name. */
const MAX_PARTITIONS = 1_000;

/** An open database as others build on it. */
export interface OpenPostgres {
  readonly driver: PostgresDriver;
  readonly database: Database;
  readonly blobs: BlobRows;
  /** The store's time, given the server's. */
  now(stored: number): number;
}

/** Opens a store in a Postgres database, making its tables when they are not there. Any number of processes share all work. */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<PostgresStore> {
  const [first, ...others] = databasesOf(options);
  if (others.length > 0) return openPartitionedStore([first, ...others], options);
  return openOne(first);
}

async function openOne(options: PostgresStoreOptions): Promise<PostgresStore> {
  const { driver, blobs } = await openPostgresDriver(options);
  return withBlobs(createDurableStore(driver), {
    rows: blobs,
    objects: options.blobs,
    now: () => driver.estimateNow(),
  });
}

/** Several databases as one store. Each is opened like a store of its own once all have their places. */
async function openPartitionedStore(
  databases: readonly [PostgresStoreOptions, ...PostgresStoreOptions[]],
  options: PostgresStoreOptions,
): Promise<PostgresStore> {
  await whenReached(() => makeSet(databases), options);
  const opening = await Promise.allSettled(
    databases.map((database) => openPostgresDriver(database, { isMember: true })),
  );
  const [first, ...others] = opening.flatMap((opened) => (opened.status === "fulfilled" ? [opened.value] : []));
  if (first === undefined || others.length + 1 < databases.length) {
    await Promise.all([first, ...others].map((opened) => opened?.driver.close()));
    throw opening.find((opened) => opened.status === "rejected")?.reason;
  }
  return createPartitionedStore(new Partitions(first, others), options);
}

/** Makes the tables of several databases, unless they may not be changed, and gives each its place. */
async function makeSet(databases: readonly PostgresStoreOptions[]): Promise<void> {
  const [{ schema = "reprise", migrates = true } = {}] = databases;
  const Client = await loadPgDriver();
  const opened = databases.map((options) => openDatabase(Client, options, schema));
  try {
    await Promise.all(opened.map((database) => prepareSchema(database, schema, { migrates })));
    await joinSet(opened, schema, { migrates });
  } finally {
    await Promise.all(opened.map((database) => database.close()));
  }
}

/** The options of each database. */
function databasesOf(options: PostgresStoreOptions): readonly [PostgresStoreOptions, ...PostgresStoreOptions[]] {
  const { urls, ...each } = options;
  if (urls === undefined) return [each];
  if (options.url !== undefined) throw invalidRequest("A Postgres store has a url or urls, not both.");
  const [first, ...others] = urls.map((url) => ({ ...each, url }));
  if (first === undefined) throw invalidRequest("A Postgres store needs the URL of a database, and urls is empty.");
  if (others.length >= MAX_PARTITIONS)
    throw invalidRequest(`A Postgres store has at most ${MAX_PARTITIONS} databases (got ${urls.length}).`);
  return [first, ...others];
}

/** `isMember`: the database is opened as one of several, which were prepared together. */
export async function openPostgresDriver(
  options: PostgresStoreOptions,
  { isMember = false }: { readonly isMember?: boolean } = {},
): Promise<OpenPostgres> {
  if (options.urls !== undefined) throw invalidRequest("This store takes the url of one Postgres database.");
  const schema = options.schema ?? "reprise";
  const Client = await loadPgDriver();
  const database = openDatabase(Client, options, schema);
  try {
    if (!isMember) {
      await whenReached(async () => {
        await prepareSchema(database, schema, options);
        await assertAlone(database, schema);
      }, options);
    }
    const durability = await readDurability(database);
    const { clock } = options;
    const serverClock = new ServerClock(clock);
    const now = (stored: number): number => serverClock.hear(stored);
    const signals = connectSignals(Client, database, options, schema);
    const tell = (told: readonly StoreSignal[]): void => {
      signals.board.tell(told);
      signals.sender.send(told);
    };
    const { maxConnections = LANES } = options;
    const batcher = new Batcher({ database, now, tell, lanes: Math.min(LANES, maxConnections) });
    const heldLanes = Math.min(HELD_LANES, maxConnections);
    const heldWriter = new HeldWriter({ database, clock: serverClock, tell, lanes: heldLanes });
    const names = new HeldNames({
      createClient: () => createClient(Client, options),
      settings: settingsOf(options, schema),
    });
    const documents = createPostgresDocuments(database, clock);
    const writers = { batcher, heldWriter, clock: serverClock, tell };
    const workers = createPostgresWorkers(database, clock);
    const driver = new PostgresDriver({ durability, database, ...writers, names, documents, workers, ...signals });
    // From here on each answer says what time it is.
    await driver.now();
    const blobs = createPostgresBlobRows((queries) => database.read(queries), clock);
    await options.blobs?.check();
    await sweepBlobs(blobs, options.blobs);
    return { driver, database, now, blobs };
  } catch (error) {
    await database.close();
    throw error;
  }
}

/**
 * Short for `openPostgresStore`: `createRuntime({ agents, store: postgres(url) })`. Takes several URLs for a partitioned store, and options
 * instead of a URL where the address comes in parts.
 */
export function postgres(
  database: string | readonly string[] | PostgresStoreOptions,
  options?: Omit<PostgresStoreOptions, "url" | "urls">,
): Promise<PostgresStore> {
  return openPostgresStore({ ...options, ...addressOf(database) });
}

function addressOf(database: string | readonly string[] | PostgresStoreOptions): PostgresStoreOptions {
  if (typeof database === "string") return { url: database };
  return isList(database) ? { urls: database } : database;
}

/** `Array.isArray` does not narrow lists that are read only. */
function isList(database: readonly string[] | PostgresStoreOptions): database is readonly string[] {
  return Array.isArray(database);
}

/** Makes the tables, or brings them up to date, and nothing more: for a role that may do so, before those that may not open it. */
export async function ensureSchema(options: PostgresStoreOptions): Promise<void> {
  const [first, ...others] = databasesOf({ ...options, migrates: true });
  return others.length > 0 ? makeSet([first, ...others]) : ensureOne(first);
}

async function ensureOne(options: PostgresStoreOptions): Promise<void> {
  const schema = options.schema ?? "reprise";
  const database = openDatabase(await loadPgDriver(), options, schema);
  try {
    await migrate(database, schema);
    await assertAlone(database, schema);
  } finally {
    await database.close();
  }
}

function prepareSchema(database: Database, schema: string, { migrates = true }: PostgresStoreOptions): Promise<void> {
  return migrates ? migrate(database, schema) : assertUpToDate(database, schema);
}

function openDatabase(Client: PgDriver, options: PostgresStoreOptions, schema: string): Database {
  assertSchemaName(schema);
  const { maxConnections = 10, idleTimeoutMs = 30_000, connectTimeoutMs = 10_000 } = options;
  const limits = { max: Math.max(maxConnections, 1), idleTimeoutMs, connectTimeoutMs };
  const pool = new ConnectionPool(() => new Client(connectionOf(options)), limits);
  return new Database(pool, settingsOf(options, schema));
}

function connectSignals(Client: PgDriver, database: Database, options: PostgresStoreOptions, schema: string) {
  const writer = randomUUID();
  const channel = `reprise_${createHash("sha256").update(schema).digest("hex").slice(0, 24)}`;
  const board = new SignalBoard(() => receiver.start());
  const receiver: SignalReceiver = new SignalReceiver({
    createClient: () => createClient(Client, options),
    settings: settingsOf(options, schema),
    channel,
    writer,
    createPoll: () => new ThreadPoll((queries) => database.read(queries)),
    tell: (signals) => board.tell(signals),
    pollMs: options.pollMs ?? 500,
  });
  return { board, receiver, sender: new SignalSender(database, channel, writer) };
}

function createClient(Client: PgDriver, options: PostgresStoreOptions): PgClient {
  return new Client(connectionOf(options));
}

function settingsOf({ statementTimeoutMs = 30_000 }: PostgresStoreOptions, schema: string) {
  return { schema, statementTimeoutMs };
}

function connectionOf({ url, connection = {}, connectTimeoutMs = 10_000 }: PostgresStoreOptions): PgConfig {
  return {
    ...(url === undefined ? {} : { connectionString: url }),
    ...connection,
    application_name: "reprise",
    keepAlive: true,
    connectionTimeoutMillis: connectTimeoutMs,
  };
}

interface Settings {
  readonly fsync: string;
  readonly full_page_writes: string;
  readonly synchronous_commit: string;
}

/**
 * What the server really promises. Without a flush before the answer, or with pages that may be torn, a power cut can take what
 * was acknowledged; a crash of our process cannot.
 */
async function readDurability(database: Database): Promise<Durability> {
  const text = `select current_setting('fsync') as fsync, current_setting('full_page_writes') as full_page_writes,
    current_setting('synchronous_commit') as synchronous_commit`;
  const [settings] = rowsOf<Settings>(await database.read([composed(text, [])]));
  const isFlushed =
    settings?.fsync === "on" && settings.full_page_writes === "on" && settings.synchronous_commit !== "off";
  return isFlushed ? "power-loss" : "process-crash";
}
