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
 * The stored decision when a client decides again: because it did not hear the answer, or too late. Undefined when the question is open
 * and nothing is known to be decided. `DECISION_CONFLICT` with the decision that won when the client says something else.
 *
 * - When a call has a second question, the answer to the first must not count for the second.
 * - `readings` are the possible readings of the client's payload: the ticket decides between them, and it is deleted with the answer.
 */
export async function findEarlierDecision(
  store: TenantStore,
  call: ToolCallRecord,
  { decisionId, suspension: wanted }: Answered,
  readings: readonly Decision[],
): Promise<Decision | undefined> {
  const { run_id, call_id, suspension, status } = call;
  // One that comes before the first suspension is for that one.
  const present = Math.max(suspension, 1);
  if (wanted !== undefined && wanted !== present) {
    const stored = await store.loadDecision(run_id, call_id, wanted);
    if (stored === undefined) throw notAsked(call_id, wanted, suspension);
    return assertSame(stored, readings);
  }
  if (status !== "suspended") {
    const stored = await store.loadDecision(run_id, call_id, present);
    if (stored !== undefined && readings.some((reading) => isSameDecision(stored, reading))) return stored;
  }
  if (decisionId === undefined) return undefined;
  for (let earlier = present - 1; earlier >= 1; earlier -= 1) {
    const stored = await store.loadDecision(run_id, call_id, earlier);
    if (stored?.decision_id === decisionId) return assertSame(stored, readings);
  }
  return undefined;
}

function assertSame(stored: Decision, readings: readonly Decision[]): Decision {
  const { decision_id } = stored;
  // An id that was derived from the present question says nothing about the one before.
  if (readings.some((reading) => isSameDecision(stored, { ...reading, decision_id }))) return stored;
  throw decisionConflict(stored);
}

function notAsked(callId: string, wanted: number, suspension: number): RepriseError {
  const message = `Tool call ${callId} does not wait for a decision on suspension ${wanted}: it is at ${suspension}.`;
  return new RepriseError("NOT_SUSPENDED", message, { details: { call_id: callId, suspension } });
}
