import { RepriseError } from "@reprise/contracts";

/** What we use of the package `pg`. It is an optional peer: nothing of its types is in ours. */
export type PgDriver = new (config: PgConfig) => PgClient;

/** How to reach a server, in the words of `pg`. What is left out comes from `PGHOST` and its like. */
export interface PgConfig {
  readonly connectionString?: string;
  readonly host?: string;
  readonly port?: number;
  readonly user?: string;
  readonly password?: string | (() => string | Promise<string>);
  readonly database?: string;
  readonly ssl?: boolean | Readonly<Record<string, unknown>>;
  readonly application_name?: string;
  readonly keepAlive?: boolean;
  readonly connectionTimeoutMillis?: number;
}

export interface PgClient {
  readonly connection: PgConnection;
  connect(): Promise<unknown>;
  query(submitted: PgSubmittable): unknown;
  end(): Promise<void>;
  ref(): void;
  unref(): void;
  on(event: "error", listener: (error: Error) => void): unknown;
  on(event: "notification", listener: (message: { readonly payload?: string }) => void): unknown;
  removeListener(event: "error", listener: (error: Error) => void): unknown;
}

/** The protocol's messages, as anything that is submitted to a client may send them. */
export interface PgConnection {
  readonly stream: { cork(): void; uncork(): void; destroy(error?: Error): void };
  parse(message: { readonly name: string; readonly text: string; readonly types: readonly number[] }): void;
  describe(message: { readonly type: "S"; readonly name: string }): void;
  bind(message: { readonly statement: string; readonly values: readonly (string | Uint8Array | null)[] }): void;
  execute(message: object): void;
  close(message: { readonly type: "S"; readonly name: string }): void;
  sync(): void;
}

/** What a client lets take part in its conversation. */
export interface PgSubmittable {
  submit(connection: PgConnection): void;
  handleRowDescription(message: { readonly fields: readonly PgField[] }): void;
  handleDataRow(message: { readonly fields: readonly (string | null)[] }): void;
  handleCommandComplete(): void;
  handleEmptyQuery(): void;
  handlePortalSuspended(): void;
  handleError(error: Error): void;
  handleReadyForQuery(): void;
}

export interface PgField {
  readonly name: string;
  readonly dataTypeID: number;
}

/**
 * Loads the client of `pg`, or says what is missing. The client alone: a pool that pipelines is ours, and theirs cannot be loaded
 * where Node was told to prefer modules.
 */
export async function loadPgDriver(name = "pg/lib/client.js"): Promise<PgDriver> {
  try {
    const loaded: { readonly default: PgDriver } = await import(name);
    return loaded.default;
  } catch (cause) {
    const message = "Cannot open a Postgres store: the package pg is not installed. Run: npm install pg";
    throw new RepriseError("INVALID_REQUEST", message, { cause, details: { package: "pg" } });
  }
}
