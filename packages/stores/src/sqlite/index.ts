export type { SqliteStore, SqliteStoreOptions } from "./open-sqlite-store.ts";
export { openSqliteStore, sqlite } from "./open-sqlite-store.ts";
