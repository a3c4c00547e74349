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
import { runIdOfCall } from "../loop/derived-ids.ts";
import type { Services } from "../services.ts";
import { listAllCalls } from "../thread/list-all-calls.ts";
import { assertBinding, assertDecisionInput, assertInTime } from "./assert-decision.ts";
import { findEarlierDecision } from "./earlier-decision.ts";
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
  const decisions: { readonly decision: Decision; readonly early: boolean }[] = [];
  for (const input of inputs) {
    assertDecisionInput(input);
    const call = findTarget(calls, input.target_id);
    if (call === undefined) {
      decisions.push({ decision: lowerEarly(threadId, input, now), early: true });
      continue;
    }
    assertBinding(call, input.binding_hash);
    await assertInTime(store, call, now);
    const decision = lower(call, input, now);
    const answered = { decisionId: input.decision_id, suspension: input.suspension };
    const earlier = await findEarlierDecision(store, call, answered, decision);
    decisions.push({ decision: earlier ?? decision, early: false });
  }
  const [first] = decisions;
  if (first === undefined) throw invalidRequest("A run request needs a message or a decision.");
  for (const { decision, early } of decisions) await store.decide(decision, { early });
  return first.decision.run_id;
}

/** A decision before its suspension counts when its sender says exactly what about. */
function lowerEarly(threadId: string, input: DecisionInput, now: number): Decision {
  const { target_id, binding_hash } = input;
  const runId = runIdOfCall(target_id);
  if (runId === undefined || binding_hash === undefined) {
    const message = `Nothing on thread ${threadId} waits for a decision on ${target_id}.`;
    throw new RepriseError("NOT_SUSPENDED", message, { details: { target_id } });
  }
  return {
    ...said(input, input.result),
    run_id: runId,
    call_id: target_id,
    suspension: 1,
    binding_hash,
    updated_at: now,
  };
}

function lower(call: ToolCallRecord, input: DecisionInput, now: number): Decision {
  const { run_id, call_id, suspension } = call;
  const { binding_hash } = input;
  const decided = said({ ...input, target_id: call_id }, resultFor(call, input), suspension);
  return {
    ...decided,
    run_id,
    call_id,
    suspension,
    ...(binding_hash !== undefined && { binding_hash }),
    updated_at: now,
  };
}

type Said = Pick<Decision, "decision_id" | "action" | "arguments" | "result" | "reason">;

function said(input: DecisionInput, result: Json | undefined, suspension = 1): Said {
  return {
    decision_id: input.decision_id ?? derivedDecisionId(input.target_id, suspension),
    action: input.action,
    ...(input.arguments !== undefined && { arguments: input.arguments }),
    ...(result !== undefined && { result }),
    ...(input.reason !== undefined && { reason: input.reason }),
  };
}

/** A call that waits for a yes gets one by anything that says so; one that waits for an answer gets the answer. */
function resultFor({ ticket }: ToolCallRecord, { action, result, payload }: DecisionInput): Json | undefined {
  if (action === "cancel") return result;
  if (ticket?.resume_mode !== "replay_tool_call") return result === undefined ? payload : result;
  return result !== undefined && isApproval(result) ? undefined : result;
}
