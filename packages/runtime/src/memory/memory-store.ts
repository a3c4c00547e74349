import { assertId, type Clock, type Store, type TenantStore } from "@reprise/contracts";
import { decide, requestCancel } from "./decide.ts";
import { createMemoryOperator } from "./memory-operator.ts";
import type { MemoryPorts } from "./memory-ports.ts";
import { createMemoryWriter } from "./memory-writer.ts";
import { createRunReader } from "./run-reader.ts";
import { Signals } from "./signals.ts";
import { submit } from "./submit.ts";
import { createTenantWorld, type TenantWorld } from "./tenant-world.ts";
import { createThreadAdmission } from "./thread-admission.ts";
import { createThreadReader } from "./thread-reader.ts";
import { WorkIndex } from "./work-index.ts";

/**
 * A store in memory, for tests and for programs that need nothing kept. Every method does its work in one turn, so that
 * each is atomic; the laws are those of every store.
 */
export function createMemoryStore({ clock }: { readonly clock: Pick<Clock, "now"> }): Store {
  const ports: MemoryPorts = { clock, work: new WorkIndex(), signals: new Signals() };
  const worlds = new Map<string, TenantWorld>();
  const tenants = new Map<string, TenantStore>();
  return {
    durability: "none",
    forTenant(tenant) {
      const known = tenants.get(tenant);
      if (known !== undefined) return known;
      assertId("tenant", tenant);
      const world = createTenantWorld(tenant);
      const store = createTenantStore(world, ports);
      worlds.set(tenant, world);
      tenants.set(tenant, store);
      return store;
    },
    operator: createMemoryOperator(worlds, ports),
    async close() {
      ports.signals.clear();
    },
  };
}

function createTenantStore(world: TenantWorld, ports: MemoryPorts): TenantStore {
  return {
    ...createMemoryWriter(world, ports),
    ...createThreadAdmission(world, ports),
    ...createThreadReader(world),
    ...createRunReader(world),
    submit: async (entry, claiming) => submit(world, ports, entry, claiming),
    decide: async (decision, options) => decide(world, ports, decision, options?.early ?? false),
    requestCancel: async (runId, reason) => requestCancel(world, ports, runId, reason),
  };
}
