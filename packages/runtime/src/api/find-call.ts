import { invalidRequest, type TenantStore, type ToolCallRecord } from "@reprise/contracts";
import { runIdOfCall } from "../loop/derived-ids.ts";
import { listAllCalls } from "../thread/list-all-calls.ts";

/**
 * The call an id names among calls: its own id, that of its suspension, or the one it has outside while it waits. The last
 * two are chosen by authors; where several calls have the same one, nobody guesses.
 */
export function findTarget(calls: readonly ToolCallRecord[], target: string): ToolCallRecord | undefined {
  const own = calls.find(({ call_id }) => call_id === target);
  if (own !== undefined) return own;
  const named = calls.filter(({ ticket }) => ticket?.suspension.id === target || ticket?.pending.id === target);
  if (named.length <= 1) return named[0];
  const ids = named.map(({ call_id }) => call_id);
  throw invalidRequest(
    `${named.length} calls wait under the id ${target}: ${ids.join(", ")}. Decide by one of these.`,
    {
      call_ids: ids,
    },
  );
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
  const query = runId === undefined ? {} : { run_id: runId };
  return findTarget(await listAllCalls(store, { status: "suspended", ...query }), target);
}
