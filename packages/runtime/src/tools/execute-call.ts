import {
  type Decision,
  type EffectAction,
  isToolEffect,
  isToolResult,
  type MessageInput,
  type SuspendTicket,
  type Tool,
  type ToolCallRecord,
  type ToolContext,
  type ToolResult,
  toolFailure,
  toolSuccess,
} from "@reprise/contracts";
import { isJson } from "@reprise/state";
import { assertMessage } from "../api/read-request.ts";
import type { RunWorkspace } from "../loop/run-workspace.ts";
import { boundOutput } from "./bound-output.ts";
import { CallState } from "./call-state.ts";
import { copyJson } from "./copy-json.ts";
import { describeThrown } from "./describe-thrown.ts";
import { reportProgress } from "./progress.ts";
import { TimeIsUp, withTimeout } from "./with-timeout.ts";

/** What an execution came to, before any of it is part of the thread. */
export interface ExecutedCall {
  readonly result: ToolResult;
  readonly state: CallState;
  readonly messages: readonly MessageInput[];
  /** Why the tool wants the run to end after this round. */
  readonly terminate?: string;
}

/** Runs a tool on checked input. Whatever the tool does, a result comes back. */
export async function executeCall(
  workspace: RunWorkspace,
  tool: Tool,
  call: ToolCallRecord,
  input: unknown,
  decision: Decision | undefined,
): Promise<ExecutedCall> {
  const { id } = tool.descriptor;
  const state = new CallState(workspace.document, call.call_id, `tool:${id}`);
  const messages: MessageInput[] = [];
  try {
    const returned = await withTimeout(
      workspace.services.env.clock,
      workspace.signal,
      tool.descriptor.timeout_ms,
      (signal) => tool.execute(input, createContext(workspace, call, state, messages, decision, signal)),
    );
    const point = workspace.services.env.point("tool:executed");
    if (point !== undefined) await point;
    const terminate = isToolEffect(returned) ? applyEffects(returned.actions, state, messages) : undefined;
    const result = await boundOutput(workspace, readResult(id, isToolEffect(returned) ? returned.result : returned));
    return { result, state, messages, ...(terminate !== undefined && { terminate }) };
  } catch (error) {
    // What a failed tool did to the state is as if it had not happened.
    return { result: failure(id, error), state: new CallState(workspace.document, call.call_id, id), messages: [] };
  } finally {
    state.close();
  }
}

function createContext(
  workspace: RunWorkspace,
  call: ToolCallRecord,
  state: CallState,
  messages: MessageInput[],
  decision: Decision | undefined,
  signal: AbortSignal,
): ToolContext {
  const { run, claim, services } = workspace;
  let ids = 0;
  return {
    state,
    identity: {
      tenant: claim.tenant,
      thread_id: run.thread_id,
      run_id: run.run_id,
      call_id: call.call_id,
      agent_id: run.agent_id,
      step_id: call.step_id,
      ...(run.parent_run_id !== undefined && { parent_run_id: run.parent_run_id }),
    },
    policy: workspace.policy,
    signal,
    idempotencyKey: call.call_id,
    decision,
    now: services.env.clock.now(),
    id: () => `${call.call_id}-i${ids++}`,
    // A tool that was given up on may go on talking; nobody listens any more.
    progress: (progress) => {
      if (state.isOpen) reportProgress(workspace, call, progress);
    },
    queueMessage: (message) => {
      assertQueued(message);
      if (state.isOpen) messages.push(message);
    },
    // Replay will answer from the log; a live run simply runs it.
    record: async (_name, run) => run(),
  };
}

/** Does what an effect asks for; returns the reason when it asks for the end. */
function applyEffects(
  actions: readonly EffectAction[],
  state: CallState,
  messages: MessageInput[],
): string | undefined {
  let terminate: string | undefined;
  for (const action of actions) {
    if (action.type === "state") state.apply(action.action);
    else if (action.type === "add_user_message") {
      assertQueued(action.message);
      messages.push(action.message);
    } else terminate = action.reason ?? "";
  }
  return terminate;
}

/** A message from a tool is checked like one from a client; whatever its role, it will be a user's. */
function assertQueued(message: MessageInput): void {
  const untrusted: unknown = message;
  if (!isJson(untrusted) || untrusted === null) throw new TypeError("a queued message is not a JSON object");
  assertMessage({ ...message, role: "user" }, 0);
}

const STATUSES: readonly string[] = ["success", "warning", "pending", "error"];

/** Only the fields of a result: its mark is no JSON. */
function plainResult({ status, data, message, metadata, suspension }: ToolResult, tool_name: string): unknown {
  return { tool_name, status, data, message, metadata, ...(suspension !== undefined && { suspension }) };
}

/** Makes a result of whatever a tool returned. Only what is clearly a result passes for one. */
function readResult(tool: string, returned: unknown): ToolResult {
  const value: unknown = isToolResult(returned) ? plainResult(returned, tool) : (returned ?? null);
  if (!isJson(value)) return toolFailure(tool, "invalid_output", `Tool ${tool} returned something that is not JSON.`);
  // A copy, because the tool may keep what it returned and write to it later.
  const formed = copyJson(value);
  if (!isToolResult(returned)) return toolSuccess(tool, formed);
  // Marked as a result and made of JSON; what is left to check are its fields.
  const result = formed as unknown as ToolResult;
  const isWhole =
    STATUSES.includes(result.status) &&
    result.data !== undefined &&
    (result.message === null || typeof result.message === "string") &&
    typeof result.metadata === "object" &&
    (result.status !== "pending" || isTicket(result.suspension));
  return isWhole ? result : toolFailure(tool, "invalid_output", `Tool ${tool} returned a result that is not whole.`);
}

const RESUME_MODES: readonly string[] = ["replay_tool_call", "use_decision_as_tool_result", "pass_decision_to_tool"];

/** Whether a tool says what it waits for so that somebody can answer. */
function isTicket(ticket: SuspendTicket | undefined): boolean {
  return (
    typeof ticket?.suspension?.id === "string" &&
    typeof ticket.suspension.action === "string" &&
    typeof ticket.pending?.id === "string" &&
    typeof ticket.pending.name === "string" &&
    RESUME_MODES.includes(ticket.resume_mode)
  );
}

/** A tool that throws has failed; what it says goes to the model, nothing else of the error does. */
function failure(tool: string, error: unknown): ToolResult {
  if (error instanceof TimeIsUp) return toolFailure(tool, "timeout", error.message);
  return toolFailure(tool, "execution_failed", `Tool ${tool} failed: ${describeThrown(error).toWellFormed()}`);
}
