import type { Store } from "../../../packages/contracts/src/index.ts";
import { openPostgresStore } from "../../../packages/stores/src/postgres/index.ts";
import { openSqliteStore } from "../../../packages/stores/src/sqlite/index.ts";

/** Where a store is. */
export type Place =
  | { readonly kind: "postgres"; readonly url: string; readonly schema: string }
  | { readonly kind: "partitioned"; readonly urls: readonly string[]; readonly schema: string }
  | { readonly kind: "sqlite"; readonly file: string };

export function openStore(place: Place): Promise<Store> {
  if (place.kind === "sqlite") return openSqliteStore({ file: place.file });
  const { kind: _, ...options } = place;
  return openPostgresStore(options);
}
