import type { SqliteBackup, SqliteStore } from "@reprise/stores/sqlite";

/** A store in a SQLite file; survives a power cut. Loaded when it is asked for: who does not use it does not pay for it. */
export async function sqlite(file: string): Promise<SqliteStore> {
  const stores = await import("@reprise/stores/sqlite");
  return stores.sqlite(file);
}

/** Copies a SQLite store to a new file, also while processes work on it. */
export async function backupSqlite(file: string, target: string): Promise<SqliteBackup> {
  const stores = await import("@reprise/stores/sqlite");
  return stores.backupSqlite(file, target);
}
