import { writeSync } from "node:fs";
import { openFileStore } from "../../src/file/open-file-store.ts";
import { openSqliteStore } from "../../src/sqlite/open-sqlite-store.ts";

/** Saves, counts up and deletes documents until it is killed, and says what was acknowledged, after it was. */
const [, , kind = "", place = ""] = process.argv;
const store = kind === "file" ? await openFileStore({ folder: place }) : await openSqliteStore({ file: place });
const tenant = store.forTenant("default");

/** Long enough to be written in parts. */
const FILLING = "x".repeat(20_000);

async function work(id: string): Promise<void> {
  for (let count = 1; ; count += 1) {
    const before = await tenant.loadDocument("count", id);
    const body = { count, filling: FILLING };
    const { document } = await tenant.saveDocument({ kind: "count", id, body }, before?.revision ?? 0);
    writeSync(1, `${id} ${count} ${document?.revision}\n`);
    // A deleted one must not be counted from anew.
    await tenant.saveDocument({ kind: "brief", id, body: 1 }, 0);
    await tenant.deleteDocument("brief", id);
  }
}

await Promise.all(Array.from({ length: 4 }, (_, index) => work(`d${index}`)));
