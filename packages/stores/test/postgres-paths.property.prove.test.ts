import { createFakeEnv } from "@reprise/testkit";
import { it } from "vitest";
import { describeWithService } from "../../../test/support/describe-with-service.ts";
import { openPostgresDriver } from "../src/postgres/open-postgres-store.ts";
import { createDurableStore } from "../src/shell/create-durable-store.ts";
import { type UsedServer, useServer } from "./postgres/use-server.ts";
import { alwaysReading, type BothPaths, compareBothPaths, countingHeld } from "./support/both-paths.ts";

describeWithService("postgres", "writes to Postgres that were planned on held rows", (service) => {
  const used = useServer(service);

  it("leave the same rows as writes that were planned on what was read", async () => {
    await compareBothPaths(() => openBoth(used), 15);
  }, 120_000);
});

const TABLES = [
  "commits",
  "thread_ids",
  "superseded",
  "blob_refs",
  "run_records",
  "suspended_calls",
  "decisions",
  "entries",
  "snapshots",
] as const;

async function openBoth(used: UsedServer): Promise<BothPaths> {
  const { clock, advance } = createFakeEnv();
  const schemas = { held: used.freshSchema(), reading: used.freshSchema() };
  const open = async (schema: string) =>
    (await openPostgresDriver({ url: used.url, schema, clock, maxConnections: 2 })).driver;
  const counted = countingHeld(await open(schemas.held));
  const held = createDurableStore(counted.driver);
  const reading = createDurableStore(alwaysReading(await open(schemas.reading)));
  return {
    ...{ held, reading, advance },
    heldWrites: counted.heldWrites,
    dump: (store) => dump(used, schemas[store]),
    async close() {
      await Promise.all([held.close(), reading.close()]);
      for (const schema of Object.values(schemas)) await used.sql(`drop schema ${schema} cascade`);
    },
  };
}

/** Rows with the id of their thread instead of its number. */
async function dump(used: UsedServer, schema: string): Promise<readonly string[]> {
  const rows: string[] = [];
  const collect = async (name: string, sql: string): Promise<void> => {
    for (const { row } of await used.sql(sql, schema)) rows.push(`${name} ${row}`);
  };
  await collect("threads", "select (to_jsonb(threads) - 'key')::text as row from threads");
  await collect("retired_epochs", "select to_jsonb(retired_epochs)::text as row from retired_epochs");
  for (const table of TABLES) {
    const thread = `(select jsonb_build_object('thread_id', thread_id) from threads where threads.key = ${table}.thread_key)`;
    await collect(table, `select (to_jsonb(${table}) - 'key' - 'thread_key' || ${thread})::text as row from ${table}`);
  }
  return rows.toSorted();
}
