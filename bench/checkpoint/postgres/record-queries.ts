import { ensureSchema, openPostgresStore } from "../../../packages/stores/src/postgres/open-postgres-store.ts";
import { Session } from "../../../packages/stores/src/postgres/session.ts";
import type { Query } from "../../../packages/stores/src/postgres/statement.ts";
import { playRun } from "../load/play-run.ts";
import type { ScriptMaker } from "../load/record-run.ts";
import { dropSchema, freshSchema } from "./schemas.ts";

/** The round trips of one transaction, from the one with `begin` to the one with `commit`. */
export type RecordedTransaction = readonly (readonly Query[])[];

/** Plays runs to a store, one at a time, and keeps what it sent to the server, transaction by transaction. */
export async function recordQueries(
  url: string,
  makeScript: ScriptMaker,
  runs: number,
): Promise<readonly (readonly RecordedTransaction[])[]> {
  const schema = freshSchema();
  await ensureSchema({ url, schema });
  const store = await openPostgresStore({ url, schema });
  const original = Session.prototype.run;
  let transactions: (readonly Query[])[][] = [];
  Session.prototype.run = function (queries) {
    const isBegin = queries[0]?.statement.text.startsWith("begin") === true;
    if (isBegin) transactions.push([queries]);
    else if (queries.at(-1)?.statement.text === "commit") transactions.at(-1)?.push(queries);
    return original.call(this, queries);
  };
  try {
    const recorded: (readonly RecordedTransaction[])[] = [];
    for (let run = 0; run < runs; run++) {
      transactions = [];
      await playRun(store.forTenant("default"), makeScript());
      recorded.push(transactions);
    }
    return recorded;
  } finally {
    Session.prototype.run = original;
    await store.close();
    await dropSchema(url, schema);
  }
}
