import type { MailboxEntry } from "@reprise/contracts";
import type { StoreBench } from "./store-bench.ts";

/** The status of every entry, by id. */
export async function entryStatuses(bench: StoreBench): Promise<Readonly<Record<string, MailboxEntry["status"]>>> {
  const { items } = await bench.tenant.listEntries();
  return Object.fromEntries(items.map(({ entry_id, status }) => [entry_id, status]));
}

/** Runs the next entry of the thread to its end and returns its id. */
export async function runNext(bench: StoreBench): Promise<string | undefined> {
  const [claim] = await bench.claim();
  if (claim === undefined) return undefined;
  await (await bench.take(claim)).become("done");
  return claim.entry?.entry_id;
}
