import type { TenantStore } from "@reprise/contracts";
import type { Limits } from "@reprise/runtime";
import { openPostgresStore } from "@reprise/stores/postgres";
import { onTestFinished } from "vitest";
import type { FoundService } from "../../../../../scripts/services/find-service.mjs";
import { useServer } from "../../../../stores/test/postgres/use-server.ts";
import { startWorker, type Worker } from "./start-worker.ts";

/** Leases that end while a test can wait for it. */
export const SHORT_LEASE: Partial<Limits> = { leaseMs: 1_500, renewEveryMs: 400, pollMs: 300, recheckMs: 500 };

/** Looks nowhere by itself while a test lasts, not even when it renews: what it does, it does because the store told it. */
export const ONLY_TOLD: Partial<Limits> = {
  leaseMs: 3_600_000,
  renewEveryMs: 600_000,
  pollMs: 600_000,
  recheckMs: 600_000,
};

/** Takes no work: it enqueues, decides and reads. */
export const CLIENT: Partial<Limits> = { maxActiveRuns: 0 };

/** Processes that share one database. */
export interface Fleet {
  readonly tenant: TenantStore;
  start(limits?: Partial<Limits>, instanceId?: string): Promise<Worker>;
  /** Starts a process with another build of the agents. */
  startBuild(build: string, limits: Partial<Limits>): Promise<Worker>;
  /** Does something to the database behind the store's back. */
  sql(text: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
}

/** A server for the suite it is called in; each test gets a schema, and processes on it that end with the test. */
export function useFleets(service: FoundService): () => Promise<Fleet> {
  const used = useServer(service);
  return async () => {
    const schema = used.freshSchema();
    const store = await openPostgresStore({ url: used.url, schema });
    onTestFinished(() => store.close());
    return {
      tenant: store.forTenant("default"),
      start: (limits, instanceId) =>
        startWorker({
          store: { kind: "postgres", url: used.url, schema },
          ...(limits !== undefined && { limits }),
          ...(instanceId !== undefined && { instanceId }),
        }),
      startBuild: (build, limits) => startWorker({ store: { kind: "postgres", url: used.url, schema }, build, limits }),
      sql: (text) => used.sql(text),
    };
  };
}

/** What a run is told to do: one call. */
export function call(tool: string, parameters: object = {}): string {
  return JSON.stringify([{ call: tool, arguments: parameters }]);
}
