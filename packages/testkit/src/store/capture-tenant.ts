import type { TenantStore } from "@reprise/contracts";

/** Everything a reader can see of a thread and its tenant's lists, to be compared before and after. */
export async function captureTenant(tenant: TenantStore, threadId = "thread-1"): Promise<unknown> {
  const runs = (await tenant.listRuns({ limit: 200 })).items;
  return {
    head: await tenant.loadThread(threadId),
    threads: await tenant.listThreads({ limit: 200 }),
    messages: await tenant.listMessages(threadId, { visibility: "any", include_superseded: true, limit: 200 }),
    shown: await tenant.listMessages(threadId, { limit: 200 }),
    changesets: await tenant.readChangesets(threadId, 0, 200),
    runs,
    calls: await Promise.all(runs.map(({ run_id }) => tenant.listCalls({ run_id, limit: 200 }))),
    suspended: await tenant.listCalls({ status: "suspended", limit: 200 }),
    entries: await tenant.listEntries({ limit: 200 }),
    events: await Promise.all(runs.map(({ run_id }) => tenant.readEvents(run_id, 0))),
    inboxes: await Promise.all(runs.map(({ run_id, thread_id }) => tenant.readInbox(thread_id, run_id))),
  };
}
