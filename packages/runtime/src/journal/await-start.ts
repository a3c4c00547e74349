import { notFound } from "@reprise/contracts";
import type { JournalSources } from "./journal-sources.ts";
import { expectChange } from "./thread-change.ts";

/**
 * Waits until a queued run has started, and returns its id; one that steered another is that other one. Undefined when it never
 * will: its entry was cancelled, superseded or given up.
 */
export async function awaitStart(
  services: JournalSources,
  tenant: string,
  threadId: string,
  runId: string,
  signal?: AbortSignal,
): Promise<string | undefined> {
  if (services.bus.isOwned(tenant, runId) || services.bus.ending(tenant, runId) !== undefined) return runId;
  const store = services.store.forTenant(tenant);
  if ((await store.loadRun(runId)) !== undefined) return runId;
  for (;;) {
    const change = expectChange(services, tenant, threadId, signal);
    try {
      const run = await store.loadRun(runId);
      if (run !== undefined || signal?.aborted === true) return run?.run_id;
      const { items } = await store.listEntries({ run_id: runId });
      const entry = items.find(({ kind }) => kind === "run");
      if (entry === undefined) throw notFound("RUN_NOT_FOUND", "run", runId);
      if (entry.into_run !== undefined) return entry.into_run;
      if (entry.status !== "queued" && entry.status !== "claimed" && entry.status !== "accepted") return undefined;
      await change.wait();
    } finally {
      change.stop();
    }
  }
}
