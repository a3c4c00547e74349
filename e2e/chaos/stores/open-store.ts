import type { BlobStore, Store } from "@reprise/contracts";
import type { PostgresStoreOptions } from "@reprise/stores/postgres";
import type { StoreAddress } from "./store-address.ts";

/** How each store is loaded: only the one that is used, because processes start all the time. */
const LOADERS = {
  sqlite: () => import("@reprise/stores/sqlite"),
  file: () => import("@reprise/stores/file"),
  postgres: () => import("@reprise/stores/postgres"),
  "nats-buffered": () => import("@reprise/stores/nats-buffered"),
};

/** Loads what opening a store takes, before anybody asks for it. */
export async function loadStore(name: StoreAddress["kind"]): Promise<void> {
  await LOADERS[name]();
}

/** Opens the store at an address, as a worker does. */
export async function openStore(address: StoreAddress): Promise<Store & { readonly blobs: BlobStore }> {
  switch (address.kind) {
    case "sqlite":
      return (await LOADERS.sqlite()).openSqliteStore({ file: address.file });
    case "file":
      return (await LOADERS.file()).openFileStore({ folder: address.folder });
    case "postgres":
      return (await LOADERS.postgres()).openPostgresStore(postgresOptions(address));
    case "nats-buffered": {
      const { openNatsBufferedStore } = await LOADERS["nats-buffered"]();
      const nats = { servers: address.natsUrl };
      const store = await openNatsBufferedStore({ nats, postgres: postgresOptions(address), natsTimeoutMs: 1_000 });
      await store.recover();
      return store;
    }
    default:
      return address satisfies never;
  }
}

/** A server that is silent is given up soon: leases of the rig are short. */
function postgresOptions({ url, schema }: Pick<PostgresStoreOptions, "url" | "schema">): PostgresStoreOptions {
  return {
    ...(url !== undefined && { url }),
    ...(schema !== undefined && { schema }),
    maxConnections: 6,
    statementTimeoutMs: 2_000,
  };
}
