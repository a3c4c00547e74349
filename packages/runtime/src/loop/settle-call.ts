import {
  advanceToolCall,
  outcomeOf,
  type SuspendTicket,
  type ToolCallOutcome,
  type ToolCallRecord,
  type ToolCallTrigger,
  type ToolResult,
} from "@reprise/contracts";
import { type Op, toJsonPatch } from "@reprise/state";
import { bindingHash } from "../tools/binding-hash.ts";
import type { ExecutedCall } from "../tools/execute-call.ts";
import { resultIdOf } from "./derived-ids.ts";
import { callStateOps, noteScopedOps } from "./run-state.ts";
import type { RunWorkspace } from "./run-workspace.ts";
import { toolMessage } from "./tool-message.ts";

/** Moves a call along its lifecycle and notes it for the next commit, in the row and in the thread's state. */
export function moveCall(
  workspace: RunWorkspace,
  call: ToolCallRecord,
  trigger: ToolCallTrigger,
  change: Partial<ToolCallRecord> = {},
): ToolCallRecord {
  const { ticket, ...advanced } = { ...advanceToolCall(call, trigger), ...change, updated_at: workspace.now };
  // A ticket belongs to a call that waits, and to no other.
  const moved = advanced.status === "suspended" && ticket !== undefined ? { ...advanced, ticket } : advanced;
  workspace.setCall(moved);
  workspace.addPatch("runtime", callStateOps(workspace.document, moved));
  return moved;
}

/** Ends a call with a result: its message, its row and its event become part of the next commit. */
export function endCall(
  workspace: RunWorkspace,
  call: ToolCallRecord,
  result: ToolResult,
  trigger: "succeed" | "fail" | "cancel",
  patchOps: readonly Op[] = [],
): void {
  const before = workspace.document;
  const patch = workspace.addPatch(`tool:${call.tool_id}`, patchOps);
  const ended = moveCall(workspace, call, trigger);
  workspace.addMessage(toolMessage(call.call_id, call.run_id, result));
  const outcome: ToolCallOutcome = ended.status === "cancelled" ? "cancelled" : outcomeOf(result);
  const data = { id: call.call_id, result, message_id: resultIdOf(call.call_id), outcome };
  workspace.hold("tool_call_done", patch === undefined ? data : { ...data, patch }, call.step_id);
  if (patch !== undefined) workspace.hold("state_delta", { delta: toJsonPatch(before, patch) }, call.step_id);
}

/** Suspends a call: whoever may decide hears of it once it is durable. */
export function suspendCall(
  workspace: RunWorkspace,
  call: ToolCallRecord,
  ticket: SuspendTicket,
  result: ToolResult,
): void {
  const suspension = call.suspension + 1;
  const binding_hash = bindingHash(workspace.services.env, workspace.claim.tenant, call);
  const suspended = moveCall(workspace, call, "suspend", { suspension, ticket, binding_hash });
  workspace.hold(
    "tool_call_done",
    {
      id: call.call_id,
      result,
      message_id: resultIdOf(call.call_id),
      outcome: "suspended",
      suspended: {
        ticket,
        suspension,
        binding_hash,
        ...(suspended.expires_at !== undefined && { expires_at: suspended.expires_at }),
      },
    },
    call.step_id,
  );
}

/** Makes an execution part of the run: state changes, queued messages, and the call's end or suspension. */
export function settleExecution(workspace: RunWorkspace, call: ToolCallRecord, executed: ExecutedCall): void {
  const { result, state } = executed;
  if (result.status === "pending" && result.suspension !== undefined) {
    const changes = [...state.ops, ...noteScopedOps(workspace.document, state.runScoped)];
    workspace.addPatch(`tool:${call.tool_id}`, changes, state.actions);
    suspendCall(workspace, call, result.suspension, result);
    return;
  }
  if (result.status === "error") {
    // A tool that failed changed nothing, whether it threw or said so.
    endCall(workspace, call, result, "fail");
    return;
  }
  workspace.logActions(state.actions);
  const changes = [...state.ops, ...noteScopedOps(workspace.document, state.runScoped)];
  endCall(workspace, call, result, "succeed", changes);
  for (const [index, message] of executed.messages.entries()) {
    const id = message.id ?? `${call.call_id}-q${index}`;
    const metadata = { ...message.metadata, run_id: call.run_id };
    // Text from a tool is never the operator's, nor the model's own.
    workspace.addMessageAfterRound({ ...message, role: "user", id, metadata });
  }
}
