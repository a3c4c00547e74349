import { assertId, type Store, type TenantStore, type ThreadWriter } from "@reprise/contracts";
import { sealChangeset } from "../codec/seal-changeset.ts";
import { createAdmission } from "./admission-shell.ts";
import { createThreadGuard } from "./damage.ts";
import { createDocuments } from "./document-shell.ts";
import type { StoreDriver } from "./driver.ts";
import { createEntryOpener, type EntryOpener } from "./open-entries.ts";
import { createOperator } from "./operator-shell.ts";
import { createRunReader } from "./run-shell.ts";
import { createThreadReader } from "./thread-shell.ts";

/** The store of the contracts on top of a database. */
export function createDurableStore(driver: StoreDriver): Store {
  const tenants = new Map<string, TenantStore>();
  const forTenant = (tenant: string): TenantStore => {
    const known = tenants.get(tenant);
    if (known !== undefined) return known;
    assertId("tenant", tenant);
    const store = createTenantStore(tenant, driver);
    tenants.set(tenant, store);
    return store;
  };
  return {
    durability: driver.durability,
    forTenant,
    operator: createOperator(driver, forTenant),
    close: () => driver.close(),
  };
}

function createTenantStore(tenant: string, driver: StoreDriver): TenantStore {
  const guard = createThreadGuard(tenant, driver);
  const opener = createEntryOpener(tenant, driver.reader);
  return {
    ...createWriter(tenant, driver, opener),
    ...createAdmission(tenant, driver, opener),
    ...createThreadReader(tenant, driver.reader, guard),
    ...createRunReader(tenant, driver.reader, { guard, opener }),
    ...createDocuments(tenant, driver.documents),
  };
}

function createWriter(tenant: string, driver: StoreDriver, opener: EntryOpener): ThreadWriter {
  return {
    async commit(changeset, guard) {
      assertId("changeset", changeset.changeset_id);
      return driver.execute({ operation: "commit", tenant, changeset: sealChangeset(changeset), guard });
    },
    async readInbox(threadId, runId) {
      const { decisions, cancel, steering } = await driver.reader.readInbox(tenant, threadId, runId);
      const { entry_id = "", reason = "" } = cancel?.entry ?? {};
      return {
        decisions,
        ...(cancel === undefined ? {} : { cancel: { entry_id, reason } }),
        ...(steering.length === 0 ? {} : { steering: await Promise.all(steering.map(opener.openEntry)) }),
      };
    },
    async saveSnapshot(thread_id, { version, state }) {
      await driver.execute({ operation: "save_snapshot", tenant, thread_id, version, state: JSON.stringify(state) });
    },
  };
}
