import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { TenantStore } from "../../../packages/contracts/src/index.ts";
import { loadThread } from "../../../packages/runtime/src/thread/loaded-thread.ts";
import type { Reread } from "../measure/cold-load.ts";
import { watchReads } from "./record-statements.ts";

/** Reads again, on a connection of its own, what loading a thread reads. */
export async function rereadSqlite(
  file: string,
  tenant: TenantStore,
  threadId: string,
): Promise<{ readonly reread: Reread; close(): void }> {
  const statements = await watchReads(() => loadThread(tenant, threadId));
  const database = new DatabaseSync(file, { readOnly: true });
  const prepared = statements.map(({ sql, values }): readonly [StatementSync, typeof values] => [
    database.prepare(sql),
    values,
  ]);
  return {
    async reread(onRow) {
      for (const [statement, values] of prepared) {
        // Rows are objects, which is what `node:sqlite` gives to whoever asks for nothing else.
        for (const row of statement.all(...values)) onRow(row as Readonly<Record<string, unknown>>);
      }
    },
    close: () => database.close(),
  };
}
