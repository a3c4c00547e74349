import {
  type Decision,
  type DecisionInput,
  derivedDecisionId,
  invalidRequest,
  isApproval,
  RepriseError,
  type ToolCallRecord,
} from "@reprise/contracts";
import type { Json } from "@reprise/state";
import type { Services } from "../services.ts";
import { listAllCalls } from "../thread/list-all-calls.ts";
import { assertBinding, assertDecisionInput, assertInTime } from "./assert-decision.ts";
import { findTarget } from "./find-call.ts";

/** Stores decisions that came with a request; returns the run they belong to. All are checked before the first is stored. */
export async function forwardDecisions(
  services: Services,
  tenant: string,
  threadId: string,
  inputs: readonly DecisionInput[],
): Promise<string> {
  const store = services.store.forTenant(tenant);
  const now = services.env.clock.now();
  const calls = await listAllCalls(store, { thread_id: threadId, status: "suspended" });
  const decisions: Decision[] = [];
  for (const input of inputs) {
    assertDecisionInput(input);
    const call = findTarget(calls, input.target_id);
    if (call === undefined) {
      throw new RepriseError(
        "NOT_SUSPENDED",
        `Nothing on thread ${threadId} waits for a decision on ${input.target_id}.`,
      );
    }
    assertBinding(call, input.binding_hash);
    await assertInTime(store, call, now);
    decisions.push(lower(call, input, now));
  }
  const [first] = decisions;
  if (first === undefined) throw invalidRequest("A run request needs a message or a decision.");
  for (const decision of decisions) await store.decide(decision);
  return first.run_id;
}

function lower(call: ToolCallRecord, input: DecisionInput, now: number): Decision {
  const result = resultFor(call, input);
  return {
    decision_id: input.decision_id ?? derivedDecisionId(call.call_id, call.suspension),
    run_id: call.run_id,
    call_id: call.call_id,
    suspension: call.suspension,
    action: input.action,
    ...(input.arguments !== undefined && { arguments: input.arguments }),
    ...(result !== undefined && { result }),
    ...(input.reason !== undefined && { reason: input.reason }),
    updated_at: now,
  };
}

/** A call that waits for a yes gets one by anything that says so; one that waits for an answer gets the answer. */
function resultFor({ ticket }: ToolCallRecord, { action, result, payload }: DecisionInput): Json | undefined {
  if (action === "cancel") return result;
  if (ticket?.resume_mode !== "replay_tool_call") return result === undefined ? payload : result;
  return result !== undefined && isApproval(result) ? undefined : result;
}
