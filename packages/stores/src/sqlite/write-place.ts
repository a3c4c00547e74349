import { escapeText } from "../codec/escape-text.ts";
import type { Connection } from "./connection.ts";
import type { DemandedRows, StoredColumns } from "./read-demand.ts";

/** Where the writes of one plan go: which thread, what is stored of it already, and the numbers of its runs. */
export class WritePlace {
  readonly connection: Connection;
  readonly tenant: string;
  readonly stored: StoredColumns;
  /** The thread's number; set by the write that makes the thread. */
  threadKey: number;
  readonly #runKeys: Map<string, number>;

  constructor(connection: Connection, tenant: string, { threadKey, stored }: DemandedRows) {
    this.connection = connection;
    this.tenant = tenant;
    this.stored = stored;
    this.threadKey = threadKey ?? 0;
    this.#runKeys = new Map([...stored.runs].map(([runId, { key }]) => [runId, key]));
  }

  /** The number of a run; undefined for one that has no row. */
  runKey(runId: string): number | undefined {
    const known = this.#runKeys.get(runId);
    if (known !== undefined) return known;
    const sql = "select key from runs where tenant = :tenant and run_id = :run_id";
    const parameters = { tenant: this.tenant, run_id: escapeText(runId) };
    const found = this.connection.get<{ readonly key: number }>(sql, parameters)?.key;
    if (found !== undefined) this.#runKeys.set(runId, found);
    return found;
  }

  addRun(runId: string, key: number): void {
    this.#runKeys.set(runId, key);
  }
}
