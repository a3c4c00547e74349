import { writeSync } from "node:fs";
import { openFileStore } from "../../../src/file/open-file-store.ts";
import { startRun } from "../../support/thread-work.ts";

/** Commits to several threads at once until it is killed, and says what was acknowledged, after it was. */
const [, , folder = "", round = ""] = process.argv;
const store = await openFileStore({ folder });
const tenant = store.forTenant("default");

async function work(threadId: string): Promise<void> {
  const { commit } = await startRun(tenant, threadId);
  for (;;) {
    const { changeset_id } = await commit();
    writeSync(1, `${threadId} ${changeset_id}\n`);
  }
}

await Promise.all(Array.from({ length: 8 }, (_, index) => work(`thread-${round}-${index}`)));
