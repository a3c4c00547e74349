import { openPostgresStore } from "../../../packages/stores/src/postgres/index.ts";
import type { OpenedStore } from "../contestants/reprise-store.ts";
import { dropSchema, freshSchema } from "./schemas.ts";

/** Our store in a new schema. */
export async function openPostgres(url: string): Promise<OpenedStore> {
  const schema = freshSchema();
  const store = await openPostgresStore({ url, schema });
  return {
    store,
    async close() {
      await store.close();
      await dropSchema(url, schema);
    },
  };
}
