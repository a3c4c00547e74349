import type { PgClient } from "./pg-driver.ts";
import { Pipeline } from "./pipeline.ts";
import { isConnectionLost } from "./postgres-errors.ts";
import { prepared, type Query, type SqlRow } from "./statement.ts";

/** The rows of each query, in their order. */
export type Results = readonly (readonly SqlRow[])[];

/** The rows of one of the queries. The author of the statement states its columns in the type. */
export function rowsOf<Row>(results: Results, index = 0): readonly Row[] {
  const rows: readonly unknown[] = results[index] ?? [];
  return rows as readonly Row[];
}

/** What every connection of a store is told once. */
export interface SessionSettings {
  readonly schema: string;
  readonly statementTimeoutMs: number;
}

/** A server that hangs is given this much longer than its own timeout. */
const GRACE_MS = 5_000;

/**
 * Every statement of ours finds its rows by an index. Said aloud, so that a plan made while a table was small is not a scan when
 * it has grown: plans are kept for as long as the connection.
 */
const SET_UP = prepared(`select set_config('search_path', $1, false), set_config('statement_timeout', $2, false),
  set_config('idle_in_transaction_session_timeout', '10s', false), set_config('client_min_messages', 'warning', false),
  set_config('default_transaction_isolation', 'read committed', false),
  set_config('plan_cache_mode', 'force_generic_plan', false), set_config('jit', 'off', false),
  set_config('enable_seqscan', 'off', false), set_config('enable_hashjoin', 'off', false),
  set_config('enable_mergejoin', 'off', false)`);

const ROLLBACK = prepared("rollback");

const SET_UP_DONE = new WeakSet<PgClient>();

/** One connection while it is in use. */
export class Session {
  readonly #client: PgClient;
  readonly #timeoutMs: number;
  #isLost = false;

  private constructor(client: PgClient, timeoutMs: number) {
    this.#client = client;
    this.#timeoutMs = timeoutMs;
  }

  static async begin(client: PgClient, { schema, statementTimeoutMs }: SessionSettings): Promise<Session> {
    const session = new Session(client, statementTimeoutMs + GRACE_MS);
    if (SET_UP_DONE.has(client)) return session;
    await session.run([SET_UP(`"${schema}"`, String(statementTimeoutMs))]);
    SET_UP_DONE.add(client);
    return session;
  }

  /** Whether the connection can be used again. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** Sends queries in one round trip. Without a `begin` among them they are a transaction of their own. */
  async run(queries: readonly Query[]): Promise<Results> {
    const pipeline = new Pipeline(queries);
    const timer = setTimeout(() => this.#giveUp(), this.#timeoutMs);
    try {
      this.#client.query(pipeline);
      return await pipeline.done;
    } catch (error) {
      if (isConnectionLost(error)) this.#isLost = true;
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Ends a transaction that failed. */
  async rollBack(): Promise<void> {
    if (this.#isLost) return;
    await this.run([ROLLBACK()]).catch(() => this.#giveUp());
  }

  /** The other side may never have heard of it, and we shall hear nothing more. */
  #giveUp(): void {
    this.#isLost = true;
    this.#client.connection.stream.destroy(new Error("Connection terminated: the server took too long."));
  }
}
