import type { Owner } from "./table.ts";
import { UNDER_RUN, UNDER_THREAD } from "./tables.ts";

/** The number of a thread, of a row that has its tenant and id. */
export function threadNumber(row: string): string {
  return `(select key from threads where threads.tenant = ${row}.tenant and threads.thread_id = ${row}.thread_id)`;
}

/** Under a thread. */
export const THREAD_OWNER: Owner = {
  column: "thread_key",
  given: UNDER_THREAD,
  number: `coalesce(given.thread_key, ${threadNumber("given")})`,
};

/** Under a run of the tenant. */
export const RUN_OWNER: Owner = {
  column: "run_key",
  given: UNDER_RUN,
  number: `coalesce(given.run_key,
    (select key from runs where runs.tenant = given.tenant and runs.run_id = given.of_run_id))`,
};

/**
 * Rows of a table for each row beside it, apart: joined, an index might be read by a part of the condition only, or through as a
 * whole, by a plan that was made when there was nothing in it.
 */
export function eachOf(table: string, condition: string): string {
  return `cross join lateral (select * from ${table} where ${condition} offset 0) as ${table}`;
}
