import type { StoreFolder } from "./store-folder.ts";

/**
 * Gives back the claims that are there when this process begins to claim: nobody else claims in this folder, so they are those
 * of a process that is gone, and their work need not wait for its leases to end.
 */
export async function releaseLeftClaims(folder: StoreFolder, now: () => number): Promise<void> {
  const released = [...folder.tables.threads].map(async ({ tenant: { tenant }, threadId, row }) => {
    const owner = row?.claim?.owner;
    if (owner === undefined) return;
    const request = { operation: "release_owner", tenant, thread_id: threadId, owner } as const;
    // One that cannot be written to keeps its claim until its lease ends.
    await folder.execute({ threadId, request, now, history: undefined }).catch(() => undefined);
  });
  await Promise.all(released);
}
