export type { PostgresConnection, PostgresStore, PostgresStoreOptions } from "./open-postgres-store.ts";
export { ensureSchema, openPostgresStore, postgres } from "./open-postgres-store.ts";
