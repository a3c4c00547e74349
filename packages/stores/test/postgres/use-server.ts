import { createFakeEnv } from "@reprise/testkit";
import { afterAll, beforeAll, onTestFinished } from "vitest";
import type { FoundService } from "../../../../scripts/services/find-service.mjs";
import {
  openPostgresStore,
  type PostgresStore,
  type PostgresStoreOptions,
} from "../../src/postgres/open-postgres-store.ts";
import { loadPgDriver } from "../../src/postgres/pg-driver.ts";
import { Session } from "../../src/postgres/session.ts";
import { composed, type SqlRow } from "../../src/postgres/statement.ts";
import { makeDatabase } from "./make-database.ts";
import { type PostgresServer, startServer } from "./start-server.ts";

let schemas = 0;

/** A schema of its own for one test. */
export interface OpenedSchema {
  readonly schema: string;
  readonly store: PostgresStore;
  readonly clock: { now(): number };
  advance(ms: number): void;
  reopen(options?: PostgresStoreOptions): Promise<PostgresStore>;
  /** Does something to the database behind the store's back, all on one connection. Returns the rows of the last. */
  sql(...texts: readonly string[]): Promise<readonly SqlRow[]>;
  close(): Promise<void>;
}

/** Databases of their own for one test, as one store. */
export interface OpenedSet extends Omit<OpenedSchema, "schema" | "sql"> {
  readonly urls: readonly string[];
  /** Does something to one of the databases behind the store's back. */
  sql(place: number, ...texts: readonly string[]): Promise<readonly SqlRow[]>;
}

/** A server for the tests of a suite, and schemas on it. */
export interface UsedServer {
  readonly url: string;
  readonly server: PostgresServer;
  freshSchema(): string;
  sql(text: string, schema?: string): Promise<readonly SqlRow[]>;
  /** The same in a database of its own; returns the rows of the last. */
  sqlAt(url: string, schema: string, texts: readonly string[]): Promise<readonly SqlRow[]>;
  /** With a time of its own, that only moves when it is moved. */
  openSchema(options?: PostgresStoreOptions): Promise<OpenedSchema>;
  /** A store over several databases of the server, with a time of its own. */
  openSet(count?: number): Promise<OpenedSet>;
  /** The same in schemas of their own in two databases that the suite shares, which is quicker. */
  openSharedSet(): Promise<OpenedSet>;
  /** The first, closed with the test. */
  useSet(count?: number): Promise<OpenedSet>;
  /** Makes an empty database and returns its URL. */
  makeDatabase(): Promise<string>;
  /** The same for a schema. */
  useSchema(options?: PostgresStoreOptions): Promise<OpenedSchema>;
}

/** Starts a server for the suite it is called in. */
export function useServer(service: FoundService, settings?: Readonly<Record<string, string>>): UsedServer {
  let started: PostgresServer | undefined;
  beforeAll(async () => {
    started = await startServer(service, settings);
  });
  afterAll(() => started?.stop());
  const server = (): PostgresServer => started ?? failBefore();
  const freshSchema = (): string => {
    schemas += 1;
    return `test_${process.pid}_${schemas}`;
  };
  const sqlIn = (schema: string, texts: readonly string[]): Promise<readonly SqlRow[]> =>
    sqlAt(server().url, schema, texts);
  const sqlAt = async (url: string, schema: string, texts: readonly string[]): Promise<readonly SqlRow[]> => {
    const Client = await loadPgDriver();
    const client = new Client({ connectionString: url });
    client.on("error", () => {});
    await client.connect();
    try {
      const session = await Session.begin(client, { schema, statementTimeoutMs: 30_000 });
      let rows: readonly SqlRow[] = [];
      for (const text of texts) [rows = []] = await session.run([composed(text, [])]);
      return rows;
    } finally {
      await client.end();
    }
  };
  const openSchema = async (options: PostgresStoreOptions = {}): Promise<OpenedSchema> => {
    const schema = freshSchema();
    const { clock, advance } = createFakeEnv();
    const handles: PostgresStore[] = [];
    const reopen = async (more: PostgresStoreOptions = {}): Promise<PostgresStore> => {
      const store = await openPostgresStore({
        url: server().url,
        schema,
        clock,
        maxConnections: 4,
        ...options,
        ...more,
      });
      handles.push(store);
      return store;
    };
    const close = async (): Promise<void> => {
      await Promise.all(handles.map((handle) => handle.close()));
      await sqlIn(schema, [`drop schema "${schema}" cascade`]);
    };
    return { schema, store: await reopen(), clock, advance, reopen, sql: (...texts) => sqlIn(schema, texts), close };
  };
  const openSet = async (count = 2): Promise<OpenedSet> => {
    const urls: string[] = [];
    while (urls.length < count) urls.push(await makeDatabase(server().url));
    const drop = async (): Promise<void> => {
      for (const url of urls) await sqlIn("public", [`drop database "${new URL(url).pathname.slice(1)}" with (force)`]);
    };
    return openOn(urls, "reprise", drop);
  };
  let shared: Promise<readonly string[]> | undefined;
  const openSharedSet = async (): Promise<OpenedSet> => {
    shared ??= Promise.all([makeDatabase(server().url), makeDatabase(server().url)]);
    const urls = await shared;
    const schema = freshSchema();
    const drop = async (): Promise<void> => {
      await Promise.all(urls.map((url) => sqlAt(url, schema, [`drop schema "${schema}" cascade`])));
    };
    return openOn(urls, schema, drop);
  };
  const openOn = async (urls: readonly string[], schema: string, drop: () => Promise<void>): Promise<OpenedSet> => {
    const { clock, advance } = createFakeEnv();
    const handles: PostgresStore[] = [];
    const reopen = async (more: PostgresStoreOptions = {}): Promise<PostgresStore> => {
      const store = await openPostgresStore({ urls, schema, clock, maxConnections: 4, waitMs: 0, ...more });
      handles.push(store);
      return store;
    };
    const close = async (): Promise<void> => {
      await Promise.all(handles.map((handle) => handle.close()));
      await drop();
    };
    const sql: OpenedSet["sql"] = (place, ...texts) => sqlAt(urls[place] ?? "", schema, texts);
    return { urls, store: await reopen(), clock, advance, reopen, sql, close };
  };
  return {
    makeDatabase: () => makeDatabase(server().url),
    openSet,
    openSharedSet,
    async useSet(count) {
      const opened = await openSet(count);
      onTestFinished(opened.close);
      return opened;
    },
    get url() {
      return server().url;
    },
    get server() {
      return server();
    },
    freshSchema,
    sql: (text, schema = "public") => sqlIn(schema, [text]),
    sqlAt,
    openSchema,
    async useSchema(options) {
      const opened = await openSchema(options);
      onTestFinished(opened.close);
      return opened;
    },
  };
}

function failBefore(): never {
  throw new Error("The server is not started yet.");
}
