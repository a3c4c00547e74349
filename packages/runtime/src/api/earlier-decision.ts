import {
  type Decision,
  decisionConflict,
  isSameDecision,
  RepriseError,
  type TenantStore,
  type ToolCallRecord,
} from "@reprise/contracts";

/** Which question of a call its sender answers, as far as it says so. */
export interface Answered {
  readonly decisionId: string | undefined;
  readonly suspension: number | undefined;
}

/**
 * What was decided when a decision is for a question that is over: sent again because its sender did not hear the answer, or too late.
 * A call that is asked about a second time must not take the answer to the first for one to the second.
 */
export async function findEarlierDecision(
  store: TenantStore,
  call: ToolCallRecord,
  { decisionId, suspension: wanted }: Answered,
  decision: Decision,
): Promise<Decision | undefined> {
  const { run_id, call_id, suspension } = call;
  if (wanted !== undefined && wanted !== suspension) {
    const stored = await store.loadDecision(run_id, call_id, wanted);
    if (stored === undefined) throw notAsked(call_id, wanted, suspension);
    return assertSame(stored, decision);
  }
  if (decisionId === undefined) return undefined;
  for (let earlier = suspension - 1; earlier >= 1; earlier -= 1) {
    const stored = await store.loadDecision(run_id, call_id, earlier);
    if (stored?.decision_id === decisionId) return assertSame(stored, decision);
  }
  return undefined;
}

function assertSame(stored: Decision, decision: Decision): Decision {
  // An id that was derived from the present question says nothing about the one before.
  if (isSameDecision(stored, { ...decision, decision_id: stored.decision_id })) return stored;
  throw decisionConflict(stored);
}

function notAsked(callId: string, wanted: number, suspension: number): RepriseError {
  const message = `Tool call ${callId} does not wait for a decision on suspension ${wanted}: it is at ${suspension}.`;
  return new RepriseError("NOT_SUSPENDED", message, { details: { call_id: callId, suspension } });
}
