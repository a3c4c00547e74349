import { copyFileSync, cpSync, existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openFileStore } from "../src/file/open-file-store.ts";
import { openSqliteStore } from "../src/sqlite/open-sqlite-store.ts";
import { makePlace } from "./file/temporary-file-store.ts";
import { makeStoreFolder } from "./support/temporary-store.ts";

const REPLACED = {
  code: "STORE_REPLACED",
  message: expect.stringContaining("was deleted or replaced while it was open"),
};

async function openSqlite() {
  const { folder, file, remove } = makeStoreFolder();
  const store = await openSqliteStore({ file });
  onTestFinished(async () => {
    await store.close();
    remove();
  });
  const tenant = store.forTenant("t");
  await tenant.createThread({ thread_id: "before", metadata: {} });
  const write = (thread_id: string) => tenant.createThread({ thread_id, metadata: {} });
  return { folder, file, store, tenant, write };
}

describe("issue 14.24: a database file that is deleted or replaced under a live store", () => {
  it.each([
    ["the file", ""],
    ["its log", "-wal"],
    ["its index", "-shm"],
  ])("refuses writes and reads when %s is deleted", async (_, suffix) => {
    const { file, tenant, write } = await openSqlite();
    rmSync(file + suffix);
    await expect(write("after")).rejects.toMatchObject(REPLACED);
    await expect.poll(() => tenant.listThreads().catch((error: unknown) => error)).toMatchObject(REPLACED);
    await expect(tenant.saveDocument({ kind: "k", id: "i", body: 1 }, 0)).rejects.toMatchObject(REPLACED);
  });

  it("refuses writes when the file is replaced, and leaves the new one and its log alone when it closes", async () => {
    const { folder, file, store, write } = await openSqlite();
    const copy = join(folder, "copy.db");
    copyFileSync(file, copy);
    renameSync(copy, file);
    await expect(write("after")).rejects.toMatchObject(REPLACED);
    for (const suffix of ["-wal", "-shm"]) rmSync(file + suffix);
    const next = await openSqliteStore({ file });
    await next.forTenant("t").createThread({ thread_id: "new", metadata: {} });
    await store.close();
    expect(existsSync(`${file}-wal`)).toBe(true);
    await next.forTenant("t").createThread({ thread_id: "newer", metadata: {} });
    await next.close();
  });

  it("refuses what was under way when the file went, and continues when it is put back", async () => {
    const { file, write, tenant } = await openSqlite();
    renameSync(file, `${file}.away`);
    await expect(write("away")).rejects.toMatchObject(REPLACED);
    renameSync(`${file}.away`, file);
    expect(await write("back")).toMatchObject({ thread_id: "back" });
    await expect
      .poll(async () => (await tenant.listThreads()).items.map(({ thread_id }) => thread_id).toSorted())
      .toEqual(["back", "before"]);
  });

  it("refuses writes and reads when the folder of a file store is replaced", async () => {
    const { folder, remove } = makePlace();
    const store = await openFileStore({ folder });
    onTestFinished(async () => {
      await store.close();
      remove();
    });
    const tenant = store.forTenant("t");
    await tenant.createThread({ thread_id: "before", metadata: {} });
    renameSync(folder, `${folder}.away`);
    mkdirSync(folder);
    cpSync(`${folder}.away`, folder, { recursive: true });
    await expect(tenant.createThread({ thread_id: "after", metadata: {} })).rejects.toMatchObject(REPLACED);
    await expect.poll(() => tenant.listThreads().catch((error: unknown) => error)).toMatchObject(REPLACED);
  });
});
