import { writeSync } from "node:fs";
import { openPostgresStore } from "../../src/postgres/open-postgres-store.ts";
import { startRun } from "../support/thread-work.ts";

/** Commits to several threads at once until it is killed, and says what was acknowledged, after it was. */
const [, , url = "", schema = "", round = ""] = process.argv;
const store = await openPostgresStore({ url, schema });
const tenant = store.forTenant("default");

async function work(threadId: string): Promise<void> {
  const { commit } = await startRun(tenant, threadId);
  for (;;) {
    const { changeset_id } = await commit();
    writeSync(1, `${threadId} ${changeset_id}\n`);
  }
}

await Promise.all(Array.from({ length: 8 }, (_, index) => work(`thread-${round}-${index}`)));
