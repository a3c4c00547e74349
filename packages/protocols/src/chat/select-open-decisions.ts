import type { DecisionInput, ToolCallRecord } from "@reprise/contracts";

/**
 * The decisions about calls that wait, one a call. A client sends along how every call of its message stands, also those that are long
 * done; and it may name a call by any of its ids.
 */
export function selectOpenDecisions(
  decisions: readonly DecisionInput[],
  calls: readonly ToolCallRecord[],
): readonly DecisionInput[] {
  const open = new Map<string, string>();
  for (const { status, call_id, ticket } of calls) {
    if (status !== "suspended") continue;
    for (const id of [ticket?.pending.id, ticket?.suspension.id, call_id]) if (id !== undefined) open.set(id, call_id);
  }
  const latest = new Map<string, DecisionInput>();
  for (const decision of decisions) {
    const callId = open.get(decision.target_id);
    if (callId !== undefined) latest.set(callId, decision);
  }
  return [...latest.values()];
}
