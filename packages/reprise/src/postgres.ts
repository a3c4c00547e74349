export type { PostgresConnection, PostgresStore, PostgresStoreOptions } from "@reprise/stores/postgres";
export { ensureSchema, postgres } from "@reprise/stores/postgres";
