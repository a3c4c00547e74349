import { type JetStreamManager, jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import type { Store } from "@reprise/contracts";
import { createFakeEnv } from "@reprise/testkit";
import { afterAll, beforeAll, onTestFinished } from "vitest";
import type { FoundService } from "../../../../scripts/services/find-service.mjs";
import {
  type NatsBufferedStore,
  type NatsBufferedStoreOptions,
  openNatsBufferedStore,
} from "../../src/nats-buffered/open-nats-buffered-store.ts";
import { openPostgresStore, type PostgresStore } from "../../src/postgres/open-postgres-store.ts";
import type { SqlRow } from "../../src/postgres/statement.ts";
import { type UsedServer, useServer } from "../postgres/use-server.ts";
import { type NatsServer, startNats } from "./start-nats.ts";

/** What a test says of a buffered store; the rest is given. */
export type BufferedOptions = Partial<NatsBufferedStoreOptions>;

/** A buffered store on a schema of its own, with a time that only moves when it is moved. */
export interface OpenedBuffered {
  readonly schema: string;
  readonly stream: string;
  readonly prefix: string;
  readonly store: NatsBufferedStore;
  advance(ms: number): void;
  /** Another handle, as another process would have. */
  reopen(options?: BufferedOptions): Promise<NatsBufferedStore>;
  /** A handle without the buffer: what is really in the database. */
  openPlain(): Promise<PostgresStore>;
  sql(text: string): Promise<readonly SqlRow[]>;
  close(): Promise<void>;
}

/** Both servers for the tests of a suite. */
export interface UsedServers {
  readonly postgres: UsedServer;
  readonly nats: NatsServer;
  openBuffered(options?: BufferedOptions): Promise<OpenedBuffered>;
  /** The same with a stream of its own, closed with the test. */
  useBuffered(options?: BufferedOptions): Promise<OpenedBuffered>;
  /** Looks at the streams behind the store's back. */
  manage<Result>(work: (manager: JetStreamManager) => Promise<Result>): Promise<Result>;
}

interface Services {
  readonly postgres: FoundService;
  readonly nats: FoundService;
}

/** Starts both servers for the suite it is called in. */
export function useBufferedServers(services: Services): UsedServers {
  const postgres = useServer(services.postgres);
  let started: NatsServer | undefined;
  beforeAll(async () => {
    started = await startNats(services.nats);
  });
  afterAll(() => started?.stop());
  const nats = (): NatsServer => started ?? failBefore();
  const openBuffered = async (options: BufferedOptions = {}): Promise<OpenedBuffered> => {
    const schema = postgres.freshSchema();
    const { clock, advance } = createFakeEnv();
    const database = { url: postgres.url, schema, clock, maxConnections: 4, ...options.postgres };
    const handles: Store[] = [];
    const keep = <Handle extends Store>(handle: Handle): Handle => {
      handles.push(handle);
      return handle;
    };
    const reopen = async (more: BufferedOptions = {}): Promise<NatsBufferedStore> => {
      const given = { nats: { servers: nats().url }, natsTimeoutMs: 1_000, ...options, ...more };
      return keep(await openNatsBufferedStore({ ...given, postgres: { ...database, ...more.postgres } }));
    };
    const sql = (text: string) => postgres.sql(text, schema);
    return {
      schema,
      stream: options.stream ?? "reprise_buffer",
      prefix: options.prefix ?? "reprise.buffer",
      store: await reopen(),
      advance,
      reopen,
      openPlain: async () => keep(await openPostgresStore(database)),
      sql,
      async close() {
        await Promise.all(handles.map((handle) => handle.close()));
        await sql(`drop schema "${schema}" cascade`);
      },
    };
  };
  let streams = 0;
  return {
    postgres,
    get nats() {
      return nats();
    },
    openBuffered,
    async useBuffered(options) {
      streams += 1;
      const own = { stream: `stream_${streams}`, prefix: `buffer.of-${streams}` };
      const opened = await openBuffered({ ...own, ...options });
      onTestFinished(opened.close);
      return opened;
    },
    async manage(work) {
      const connection = await connect({ servers: nats().url });
      try {
        return await work(await jetstreamManager(connection));
      } finally {
        await connection.close();
      }
    },
  };
}

function failBefore(): never {
  throw new Error("The server is not started yet.");
}
