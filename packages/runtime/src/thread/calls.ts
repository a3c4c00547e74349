import { type CallQuery, type Decision, MAX_LIMIT, type TenantStore, type ToolCallRecord } from "@reprise/contracts";
import { compareCallIds } from "./derived-ids.ts";

/** Every call a query matches, page by page, oldest first. */
export async function listAllCalls(
  store: TenantStore,
  query: Omit<CallQuery, "offset" | "limit">,
): Promise<readonly ToolCallRecord[]> {
  const calls: ToolCallRecord[] = [];
  for (;;) {
    const page = await store.listCalls({ ...query, offset: calls.length, limit: MAX_LIMIT });
    calls.push(...page.items);
    if (!page.has_more || page.items.length === 0) return calls;
  }
}

/** The calls of a run that are not over, in the order the model asked for them. */
export async function listOpenCalls(store: TenantStore, runId: string): Promise<readonly ToolCallRecord[]> {
  const calls = await listAllCalls(store, { run_id: runId, is_open: true });
  return calls.toSorted((left, right) => compareCallIds(left.call_id, right.call_id));
}

/** The decision that answers a call's current suspension, if there is one. */
export function decisionFor(call: ToolCallRecord, decisions: readonly Decision[]): Decision | undefined {
  return decisions.find(({ call_id, suspension }) => call_id === call.call_id && suspension === call.suspension);
}
