import type { Decision, ToolCallRecord } from "@reprise/contracts";

/** The decision that answers a call's current suspension, if there is one. */
export function decisionFor(call: ToolCallRecord, decisions: readonly Decision[]): Decision | undefined {
  return decisions.find(({ call_id, suspension }) => call_id === call.call_id && suspension === call.suspension);
}
