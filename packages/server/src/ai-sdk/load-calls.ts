import { type CallQuery, MAX_LIMIT, type ToolCallRecord } from "@reprise/contracts";
import type { HttpExchange } from "../host/route.ts";

/** All calls of a thread. */
export async function loadCalls({ runtime }: HttpExchange, query: CallQuery): Promise<readonly ToolCallRecord[]> {
  const calls: ToolCallRecord[] = [];
  for (;;) {
    const page = await runtime.calls({ ...query, offset: calls.length, limit: MAX_LIMIT });
    calls.push(...page.items);
    if (!page.has_more || page.items.length === 0) return calls;
  }
}

/** The calls of a thread that wait for a decision. */
export function loadOpenCalls(exchange: HttpExchange, threadId: string): Promise<readonly ToolCallRecord[]> {
  return loadCalls(exchange, { thread_id: threadId, status: "suspended" });
}
