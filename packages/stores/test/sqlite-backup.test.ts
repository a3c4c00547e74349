import { copyFileSync, existsSync, lstatSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { backupSqlite } from "../src/sqlite/backup-sqlite.ts";
import { openSqliteStore } from "../src/sqlite/open-sqlite-store.ts";
import { nextLine, runChild } from "./support/run-child.ts";
import { makeStoreFolder } from "./support/temporary-store.ts";
import { startRun } from "./support/thread-work.ts";

function useFolder(): { readonly folder: string; readonly file: string } {
  const { folder, file, remove } = makeStoreFolder();
  onTestFinished(remove);
  return { folder, file };
}

const sizeOf = (path: string): number => (existsSync(path) ? statSync(path).size : 0);

async function countThreads(file: string): Promise<number> {
  const store = await openSqliteStore({ file });
  const { total } = await store.forTenant("t").listThreads();
  await store.close();
  return total;
}

describe("issue 14.23: the file of a store that was closed is the whole store", () => {
  it("moves everything out of the log when the last handle is closed", async () => {
    const { folder, file } = useFolder();
    const store = await openSqliteStore({ file });
    for (const thread_id of ["a", "b", "c"]) await store.forTenant("t").createThread({ thread_id, metadata: {} });
    await store.close();
    expect([sizeOf(`${file}-wal`), sizeOf(`${file}-shm`)]).toEqual([0, 0]);
    copyFileSync(file, join(folder, "copy.db"));
    expect(await countThreads(join(folder, "copy.db"))).toBe(3);
  });

  it("empties the log also when another handle stays open, whose work continues", async () => {
    const { folder, file } = useFolder();
    const [store, other] = [await openSqliteStore({ file }), await openSqliteStore({ file })];
    await store.forTenant("t").createThread({ thread_id: "a", metadata: {} });
    await store.close();
    expect(sizeOf(`${file}-wal`)).toBe(0);
    copyFileSync(file, join(folder, "copy.db"));
    await other.forTenant("t").createThread({ thread_id: "b", metadata: {} });
    await other.close();
    expect([await countThreads(join(folder, "copy.db")), await countThreads(file)]).toEqual([1, 2]);
  });
});

describe("issue 14.23: a backup of a live store", () => {
  it("has everything that was acknowledged before, from a process that continues to commit", async () => {
    const { folder, file } = useFolder();
    const child = runChild("commit-for-ever.ts", file, "0");
    const last = new Map<string, string>();
    for (let count = 0; count < 60; count += 1) {
      const [thread = "", changeset = ""] = (await nextLine(child)).split(" ");
      last.set(thread, changeset);
    }
    const target = join(folder, "backup.db");
    const made = await backupSqlite(file, target);
    expect(made).toEqual({ file: target, bytes: sizeOf(target) });
    expect((lstatSync(target).mode & 0o777).toString(8)).toBe("600");
    // It continues: no write waited for the copy.
    await nextLine(child);
    child.process.kill("SIGKILL");
    await child.exited;
    const store = await openSqliteStore({ file: target });
    const tenant = store.forTenant("default");
    for (const [thread, changeset] of last) {
      const stored = await tenant.readChangesets(thread, 0, 10_000);
      expect(stored.map(({ version }) => version)).toEqual(stored.map((_, index) => index + 1));
      expect(stored.map(({ changeset_id }) => changeset_id)).toContain(changeset);
    }
    await store.close();
  });

  it("can be worked with like the store it was made of", async () => {
    const { folder, file } = useFolder();
    const store = await openSqliteStore({ file });
    await store.operator.enter({ owner: "owner", is_lasting: false, lease_ms: 60_000 });
    await startRun(store.forTenant("default"), "thread-1");
    const target = join(folder, "backup.db");
    await backupSqlite(file, target);
    await store.close();
    const restored = await openSqliteStore({ file: target });
    await restored.operator.enter({ owner: "next", is_lasting: false, lease_ms: 60_000 });
    const [claim] = await restored.operator.claim({ owner: "next", lease_ms: 1_000, limit: 1 });
    expect(claim).toMatchObject({ thread_id: "thread-1", kind: "recover" });
    await restored.close();
  });

  it("never takes the place of a file, and leaves nothing when it fails", async () => {
    const { folder, file } = useFolder();
    const store = await openSqliteStore({ file });
    const target = join(folder, "backup.db");
    writeFileSync(target, "mine");
    await expect(backupSqlite(file, target)).rejects.toMatchObject({ code: "INVALID_REQUEST" });
    expect(sizeOf(target)).toBe(4);
    const nowhere = join(folder, "nowhere", "backup.db");
    await expect(backupSqlite(file, nowhere)).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
    await expect(backupSqlite(join(folder, "none.db"), join(folder, "b.db"))).rejects.toMatchObject({
      code: "STORE_UNAVAILABLE",
    });
    expect(existsSync(join(folder, "b.db.partial"))).toBe(false);
    await store.close();
  });
});
