import { createFakeEnv } from "@reprise/testkit";
import { it } from "vitest";
import { type BothPaths, compareBothPaths } from "./support/both-paths.ts";
import { type InThreadStore, openInThreadStore } from "./support/in-thread-store.ts";

it("writes to SQLite that were planned on held rows leave the same rows as those planned on what was read", async () => {
  await compareBothPaths(openBoth, 200);
}, 180_000);

async function openBoth(): Promise<BothPaths> {
  const { clock, advance } = createFakeEnv();
  const stores = { held: openInThreadStore(clock), reading: openInThreadStore(clock, { holds: false }) };
  const { held, reading } = stores;
  return {
    ...{ held: held.store, reading: reading.store, heldWrites: held.heldWrites, advance },
    dump: async (store) => dump(stores[store]),
    async close() {
      await Promise.all([held.close(), reading.close()]);
    },
  };
}

/** Notes for other processes are not rows of a thread, and numbers of rows are the database's own. */
const LEFT_OUT = new Set(["signals", "workers", "documents", "blobs", "blob_parts", "blob_uploads"]);

function dump({ connection }: InThreadStore): readonly string[] {
  const tables = connection.all<{ readonly name: string }>(
    "select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'",
  );
  const rows = tables.flatMap(({ name }) => {
    if (LEFT_OUT.has(name)) return [];
    return connection.all(`select * from ${name}`).map((row) => {
      const { key: _, thread_key, ...columns } = row;
      const thread = thread_key === undefined ? {} : connection.get(THREAD, { key: thread_key });
      return JSON.stringify({ name, ...thread, ...columns });
    });
  });
  return rows.toSorted();
}

const THREAD = "select tenant, thread_id from threads where key = :key";
