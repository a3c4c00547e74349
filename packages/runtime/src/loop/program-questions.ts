import {
  type Decision,
  type ProgramNews,
  type ProgramQuestion,
  type SuspendRequest,
  type ToolCallRecord,
  toolFailure,
  toolPending,
  toolSuccess,
} from "@reprise/contracts";
import { PROGRAM_CALL } from "../budget/budget-call.ts";
import { describeDecision } from "./decide-calls.ts";
import { keyOf, openProgramCall, suspendProgramCall } from "./program-call.ts";
import type { RunWorkspace } from "./run-workspace.ts";
import { endCall, moveCall, suspendCall } from "./settle-call.ts";

/** Asks a person, or sets a timer, with the next commit. Returns the id of the call that waits for the answer. */
export function askQuestion(workspace: RunWorkspace, question: ProgramQuestion): string {
  const { key, name, action, message, parameters, responseSchema, expiresInMs, isTimer } = question;
  const call = openProgramCall(workspace, { key, name });
  const request: SuspendRequest = {
    action,
    ...(message !== undefined && { message }),
    ...(parameters !== undefined && { parameters }),
    ...(responseSchema !== undefined && { response_schema: responseSchema }),
    ...(expiresInMs !== undefined && { expires_in_ms: expiresInMs }),
    ...(isTimer === true ? { on_expiry: "execute" as const } : { pending: { name, arguments: parameters ?? {} } }),
  };
  suspendProgramCall(workspace, call, request);
  return call.call_id;
}

export function withdrawQuestion(workspace: RunWorkspace, callId: string): void {
  const call = workspace.openCalls.find(({ call_id }) => call_id === callId);
  if (call === undefined) return;
  const message = "The question no longer matters.";
  workspace.emitOnCommit("tool_call_cancelled", { id: callId, reason: "withdrawn" }, call.step_id);
  endCall(workspace, call, toolFailure(PROGRAM_CALL, "cancelled", message), "cancel");
}

/** Ends the call of a question with its answer. An answer to another version of the question is none: it is asked anew. */
export function takeAnswer(workspace: RunWorkspace, call: ToolCallRecord, decision: Decision): ProgramNews | undefined {
  const { call_id: callId, step_id, ticket } = call;
  const moved = moveCall(workspace, call, "decide");
  if (decision.binding_hash !== undefined && decision.binding_hash !== call.binding_hash && ticket !== undefined) {
    suspendCall(workspace, moved, ticket, toolPending(PROGRAM_CALL, ticket));
    return undefined;
  }
  workspace.emitOnCommit("tool_call_resumed", { target_id: callId, result: describeDecision(decision) }, step_id);
  const { action, result, arguments: edited, reason, decided_by } = decision;
  if (action === "resume") endCall(workspace, moved, toolSuccess(PROGRAM_CALL, result ?? edited ?? null), "succeed");
  else endCall(workspace, moved, toolFailure(PROGRAM_CALL, "denied", reason ?? "The question was denied."), "cancel");
  return {
    type: "answered",
    key: keyOf(call),
    callId,
    action,
    ...(result !== undefined && { result }),
    ...(edited !== undefined && { arguments: edited }),
    ...(reason !== undefined && { reason }),
    ...(decided_by !== undefined && { decidedBy: decided_by }),
  };
}

/** Ends the call of a question whose time is over. For a timer that is its answer. */
export function expireQuestion(workspace: RunWorkspace, call: ToolCallRecord): ProgramNews {
  const { call_id: callId, ticket } = call;
  if (ticket?.on_expiry === "execute") {
    const due = moveCall(workspace, call, "decide");
    endCall(workspace, due, toolSuccess(PROGRAM_CALL, null), "succeed");
  } else {
    workspace.emitOnCommit("tool_call_cancelled", { id: callId, reason: "expired" }, call.step_id);
    const message = "The question expired before a decision was made.";
    endCall(workspace, call, toolFailure(PROGRAM_CALL, "expired", message), "cancel");
  }
  return { type: "expired", key: keyOf(call), callId };
}
