import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFakeEnv } from "@reprise/testkit";
import { onTestFinished } from "vitest";
import { openSqliteStore, type SqliteStore, type SqliteStoreOptions } from "../../src/sqlite/open-sqlite-store.ts";

// Every store starts a thread that reads our sources, and children of tests do too: once compiled is enough.
process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), "reprise-compile-cache");

/** A folder for one store. */
export interface StoreFolder {
  readonly folder: string;
  readonly file: string;
  remove(): void;
}

/** Where there is a disk in memory, stores of tests are on it: hundreds of them flush, and none has to survive. */
const PARENT = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

export function makeStoreFolder(): StoreFolder {
  const folder = mkdtempSync(join(PARENT, "reprise-sqlite-"));
  return { folder, file: join(folder, "threads.db"), remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** A store under test with its own time, and further handles on its file. */
export async function openTemporaryStore(options: Pick<SqliteStoreOptions, "blobs"> = {}) {
  const { file, remove } = makeStoreFolder();
  const { clock, advance } = createFakeEnv();
  const handles: SqliteStore[] = [];
  const reopen = async (): Promise<SqliteStore> => {
    const store = await openSqliteStore({ ...options, file, clock });
    handles.push(store);
    return store;
  };
  const close = async (): Promise<void> => {
    await Promise.all(handles.map((handle) => handle.close()));
    remove();
  };
  return { store: await reopen(), file, clock, advance, reopen, close };
}

/** The same, closed with the test. */
export async function useTemporaryStore() {
  const opened = await openTemporaryStore();
  onTestFinished(opened.close);
  return opened;
}
