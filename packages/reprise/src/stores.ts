import type { BlobStore, Env, Store } from "@reprise/contracts";
import { createNodeEnv } from "@reprise/node";
import type { FileStore, FileStoreOptions } from "@reprise/stores/file";
import { createMemoryStoreWithBlobs } from "@reprise/stores/memory";
import type { SqliteBackup, SqliteStore, SqliteStoreOptions } from "@reprise/stores/sqlite";

// SQLite and file stores load on first use: a program that uses neither does not pay for them.

/** A store that may bring its own blob store. */
export type StoreWithBlobs = Store & { readonly blobs?: BlobStore };

/** A store in memory. Several runtimes of one process can share it; it is gone when the process ends. */
export function memory({ env = createNodeEnv() }: { readonly env?: Pick<Env, "clock" | "hash"> } = {}): StoreWithBlobs {
  return createMemoryStoreWithBlobs(env);
}

/** A store in a SQLite file. It survives a power cut, and several processes of one machine can share it. */
export async function sqlite(file: string, options?: Omit<SqliteStoreOptions, "file">): Promise<SqliteStore> {
  const stores = await import("@reprise/stores/sqlite");
  return stores.sqlite(file, options);
}

/** A store in a folder of JSON lines that people can read. It survives a power cut; one process at a time can open it. */
export async function file(folder: string, options?: Omit<FileStoreOptions, "folder">): Promise<FileStore> {
  const stores = await import("@reprise/stores/file");
  return stores.file(folder, options);
}

/** Copies a SQLite store to a new file, also while processes use it. */
export async function backupSqlite(file: string, target: string): Promise<SqliteBackup> {
  const stores = await import("@reprise/stores/sqlite");
  return stores.backupSqlite(file, target);
}
