import { chmodSync, lstatSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { buildEntry } from "@reprise/testkit";
import { describe, expect, it, onTestFinished } from "vitest";
import { openFileStore } from "../src/file/open-file-store.ts";
import { openSqliteStore } from "../src/sqlite/open-sqlite-store.ts";
import { makePlace } from "./file/temporary-file-store.ts";
import { makeStoreFolder } from "./support/temporary-store.ts";

const mode = (path: string): string => (lstatSync(path).mode & 0o777).toString(8);

/** Everything below a folder that another process than its owner could open. */
function openToOthers(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => (lstatSync(join(folder, name)).mode & 0o077) !== 0)
    .map((name) => `${name} ${mode(join(folder, name))}`);
}

/** Files of a new store are readable for all unless it says otherwise. */
function useOpenUmask(): void {
  const before = process.umask(0o000);
  onTestFinished(() => void process.umask(before));
}

describe("issue 14.40: only the owner of a store can read its files", () => {
  it("SQLite makes all of its files with 0600", async () => {
    useOpenUmask();
    const { folder, file, remove } = makeStoreFolder();
    onTestFinished(remove);
    const store = await openSqliteStore({ file });
    await store.forTenant("t").submit(buildEntry({ thread_id: "thread" }));
    await store.operator.claim({ owner: "o", lease_ms: 1_000, limit: 1 });
    expect(readdirSync(folder)).toEqual(expect.arrayContaining(["threads.db", "threads.db-wal", "threads.db-shm"]));
    expect(openToOthers(folder)).toEqual([]);
    await store.close();
    expect(openToOthers(folder)).toEqual([]);
  });

  it("SQLite takes the rights of strangers away from a file that it finds", async () => {
    const { folder, file, remove } = makeStoreFolder();
    onTestFinished(remove);
    await (await openSqliteStore({ file })).close();
    chmodSync(file, 0o644);
    const store = await openSqliteStore({ file });
    await store.forTenant("t").createThread({ thread_id: "thread", metadata: {} });
    expect(readdirSync(folder).filter((name) => (lstatSync(join(folder, name)).mode & 0o007) !== 0)).toEqual([]);
    await store.close();
  });

  it("the file store makes its folder with 0700 and all of its files with 0600", async () => {
    useOpenUmask();
    const { folder, remove } = makePlace();
    onTestFinished(remove);
    const store = await openFileStore({ folder });
    const tenant = store.forTenant("t");
    await tenant.submit(buildEntry({ thread_id: "thread" }));
    await tenant.saveDocument({ kind: "k", id: "i", body: {} }, 0);
    await store.blobs.put("t", new Uint8Array([1, 2, 3]), { media_type: "text/plain" });
    expect(mode(folder)).toBe("700");
    expect(openToOthers(folder)).toEqual([]);
    await store.close();
  });

  it("the file store takes the rights of strangers away from a folder that it finds", async () => {
    const { folder, remove } = makePlace();
    onTestFinished(remove);
    mkdirSync(folder, { mode: 0o755 });
    chmodSync(folder, 0o755);
    const store = await openFileStore({ folder });
    expect(mode(folder)).toBe("750");
    await store.close();
  });
});
