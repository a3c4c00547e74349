import { assertId, type Store, type TenantStore, type ThreadWriter } from "@reprise/contracts";
import { openEntry } from "../codec/columns/entry-columns.ts";
import { createAdmission } from "./admission-shell.ts";
import { createThreadGuard } from "./damage.ts";
import { createDocuments } from "./document-shell.ts";
import type { StoreDriver } from "./driver.ts";
import { HeldThreads } from "./held-threads.ts";
import { createOperator } from "./operator-shell.ts";
import { createRunReader } from "./run-shell.ts";
import { createThreadReader } from "./thread-shell.ts";

/** The store of the contracts on top of a database. */
export function createDurableStore(driver: StoreDriver): Store {
  const tenants = new Map<string, TenantStore>();
  const held = new HeldThreads(driver);
  const forTenant = (tenant: string): TenantStore => {
    const known = tenants.get(tenant);
    if (known !== undefined) return known;
    assertId("tenant", tenant);
    const store = createTenantStore(tenant, driver, held);
    tenants.set(tenant, store);
    return store;
  };
  return {
    durability: driver.durability,
    forTenant,
    operator: createOperator(driver, held, forTenant),
    close: () => driver.close(),
  };
}

function createTenantStore(tenant: string, driver: StoreDriver, held: HeldThreads): TenantStore {
  const guard = createThreadGuard(tenant, driver);
  return {
    ...createWriter(tenant, driver, held),
    ...createAdmission(tenant, driver, held),
    ...createThreadReader(tenant, driver.reader, guard),
    ...createRunReader(tenant, driver.reader, guard),
    ...createDocuments(tenant, driver.documents),
  };
}

function createWriter(tenant: string, driver: StoreDriver, held: HeldThreads): ThreadWriter {
  return {
    async commit(changeset, guard) {
      assertId("changeset", changeset.changeset_id);
      const sealed = driver.seal(changeset);
      const { version } = await held.commit({ operation: "commit", tenant, changeset: sealed, guard });
      return { version };
    },
    async readInbox(threadId, runId) {
      const { decisions, cancel, steering } = await driver.reader.readInbox(tenant, threadId, runId);
      const { entry_id = "", reason = "" } = cancel?.entry ?? {};
      return {
        decisions,
        ...(cancel === undefined ? {} : { cancel: { entry_id, reason } }),
        ...(steering.length === 0 ? {} : { steering: steering.map(openEntry) }),
      };
    },
    async saveSnapshot(thread_id, { version, state }) {
      await driver.execute({ operation: "save_snapshot", tenant, thread_id, version, state: JSON.stringify(state) });
    },
  };
}
