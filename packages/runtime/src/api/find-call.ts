import type { TenantStore, ToolCallRecord } from "@reprise/contracts";
import { runIdOfCall } from "../loop/derived-ids.ts";
import { listAllCalls } from "../thread/list-all-calls.ts";

/** Whether an id names a call: its own, that of its suspension, or the one it has outside while it waits. */
export function isTarget({ call_id, ticket }: ToolCallRecord, target: string): boolean {
  return call_id === target || ticket?.suspension.id === target || ticket?.pending.id === target;
}

/** A call by any of its ids. Only a suspended one has more than its own. */
export async function findCall(
  store: TenantStore,
  target: string,
  runId: string | undefined,
): Promise<ToolCallRecord | undefined> {
  const owner = runId ?? runIdOfCall(target);
  const call = owner === undefined ? undefined : await store.loadCall(owner, target);
  if (call !== undefined) return call;
  const suspended = await listAllCalls(store, {
    status: "suspended",
    ...(runId !== undefined && { run_id: runId }),
  });
  return suspended.find((candidate) => isTarget(candidate, target));
}
