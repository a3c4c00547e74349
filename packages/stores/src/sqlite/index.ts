export type { SqliteBackup } from "./backup-sqlite.ts";
export { backupSqlite } from "./backup-sqlite.ts";
export type { SqliteStore, SqliteStoreOptions } from "./open-sqlite-store.ts";
export { openSqliteStore, sqlite } from "./open-sqlite-store.ts";
