import { type CallQuery, MAX_LIMIT, type TenantStore, type ToolCallRecord } from "@reprise/contracts";

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
