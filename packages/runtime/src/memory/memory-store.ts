import { assertId, type Clock, notFound, type Store, type TenantStore } from "@reprise/contracts";
import { decide, requestCancel } from "./decide.ts";
import { reviveEntry } from "./entries.ts";
import { beginGeneration } from "./interrupt.ts";
import { createMemoryDocuments } from "./memory-documents.ts";
import { createMemoryOperator } from "./memory-operator.ts";
import type { MemoryPorts } from "./memory-ports.ts";
import { announce, createMemoryWriter } from "./memory-writer.ts";
import { createRunReader } from "./run-reader.ts";
import { Signals } from "./signals.ts";
import { submit } from "./submit.ts";
import { createTenantWorld, requireThread, type TenantWorld } from "./tenant-world.ts";
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
  const forTenant = (tenant: string): TenantStore => {
    const known = tenants.get(tenant);
    if (known !== undefined) return known;
    assertId("tenant", tenant);
    const world = createTenantWorld(tenant);
    const store = createTenantStore(world, ports);
    worlds.set(tenant, world);
    tenants.set(tenant, store);
    return store;
  };
  return {
    durability: "none",
    forTenant,
    operator: createMemoryOperator(worlds, ports, forTenant),
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
    ...createMemoryDocuments(world.documents, ports),
    submit: async (entry, claiming) => submit(world, ports, entry, claiming),
    decide: async (decision, options) => decide(world, ports, decision, options?.early ?? false),
    async interruptThread(threadId, reason) {
      const cell = requireThread(world, threadId);
      const interrupted = beginGeneration(cell, reason, ports.clock.now());
      if (interrupted.run_id !== undefined) announce(cell, ports, "inbox", interrupted.run_id);
      announce(cell, ports, "work");
      return interrupted;
    },
    async requeueEntry(threadId, entryId) {
      const cell = world.threads.get(threadId);
      if (cell === undefined) throw notFound("ENTRY_NOT_FOUND", "mailbox entry", entryId);
      const entry = reviveEntry(cell, entryId, ports.clock.now());
      announce(cell, ports, "work");
      return entry;
    },
    requestCancel: async (runId, reason) => requestCancel(world, ports, runId, reason),
  };
}
