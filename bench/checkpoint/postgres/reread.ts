import pg from "pg";
import type { TenantStore } from "../../../packages/contracts/src/index.ts";
import { loadThread } from "../../../packages/runtime/src/thread/loaded-thread.ts";
import { Session } from "../../../packages/stores/src/postgres/session.ts";
import type { Query } from "../../../packages/stores/src/postgres/statement.ts";
import type { Reread } from "../measure/cold-load.ts";

/** Reads again, on a connection of its own, what loading a thread reads. */
export async function rereadPostgres(
  { url, schema }: { readonly url: string; readonly schema: string },
  tenant: TenantStore,
  threadId: string,
): Promise<{ readonly reread: Reread; close(): Promise<void> }> {
  const queries = (await watchQueries(() => loadThread(tenant, threadId))).filter(({ statement }) =>
    /^\s*select/.test(statement.text),
  );
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {});
  await client.connect();
  await client.query(`set search_path = "${schema}"; set enable_seqscan = off; set jit = off`);
  return {
    async reread(onRow) {
      for (const { statement, values } of queries) {
        const { rows } = await client.query<Readonly<Record<string, unknown>>>({
          name: statement.name,
          text: statement.text,
          values: [...values],
        });
        for (const row of rows) onRow(row);
      }
    },
    close: () => client.end(),
  };
}

async function watchQueries(work: () => Promise<unknown>): Promise<readonly Query[]> {
  const queries: Query[] = [];
  const original = Session.prototype.run;
  Session.prototype.run = function (sent) {
    queries.push(...sent);
    return original.call(this, sent);
  };
  try {
    await work();
  } finally {
    Session.prototype.run = original;
  }
  return queries;
}
