import type { Json, StateAction } from "@reprise/state";
import type { SuspendOptions } from "../decision/suspend-ticket.ts";
import type { ContextOmission, ContextRef } from "../event/context-ref.ts";
import type { EventData, PluginEvent, PluginEventType } from "../event/event-data.ts";
import type { MessageInput } from "../message/message.ts";
import { toStoredKeys } from "../shape/stored-names.ts";
import type { ToolResult } from "../tool/tool-result.ts";
import type { OperatorText } from "./operator-text.ts";
import type { InferenceOptions, PhaseAction, RequestTransform, SuspendStepOptions } from "./phase-action.ts";
import { toolResult } from "./tool-effect.ts";

/** Changes state. `callId` is for states of the scope `tool_call`. */
export function changeState(action: StateAction, callId?: string): PhaseAction<"state"> {
  return callId === undefined ? { type: "state", action } : { type: "state", action, call_id: callId };
}

/** Adds the operator's words to the system prompt of this inference. `refs` name their sources in `context_resolved`. */
export function addSystemContext(
  text: OperatorText,
  { refs }: Pick<SessionContextOptions, "refs"> = {},
): PhaseAction<"add_system_context"> {
  return { type: "add_system_context", text, ...(refs !== undefined && { refs }) };
}

export interface SessionContextOptions {
  /** Of texts with the same key the last one counts. */
  readonly key?: string;
  /** The sources of the text, shown in `context_resolved`. */
  readonly refs?: readonly ContextRef[];
}

/** Adds text to this inference in the user's position. A string as the second argument is the key. */
export function addSessionContext(
  text: string,
  options: string | SessionContextOptions = {},
): PhaseAction<"add_session_context"> {
  const { key, refs } = typeof options === "string" ? { key: options } : options;
  return {
    type: "add_session_context",
    text,
    ...(key !== undefined && { key }),
    ...(refs !== undefined && { refs }),
  };
}

/** Names sources that a transform brings into this inference, and sources that are left out, in `context_resolved`. */
export function noteContext(facts: {
  readonly refs?: readonly ContextRef[];
  readonly omissions?: readonly ContextOmission[];
}): PhaseAction<"note_context"> {
  return { type: "note_context", ...facts };
}

/**
 * Hides tools from the model in this step, and refuses their calls if the model makes them anyway. Name many tools in one action: thousands of
 * actions cost milliseconds.
 */
export function excludeTool(...toolIds: readonly string[]): PhaseAction<"exclude_tool"> {
  const [only] = toolIds;
  if (only !== undefined && toolIds.length === 1) return { type: "exclude_tool", tool_id: only };
  return { type: "exclude_tool", tool_ids: toolIds };
}

/** Hides every other tool in this step. `advice` tells a model that calls one all the same how it can get the tool. */
export function includeOnlyTools(...toolIds: readonly string[]): PhaseAction<"include_only_tools">;
export function includeOnlyTools(
  toolIds: readonly string[],
  options: { readonly advice: string },
): PhaseAction<"include_only_tools">;
export function includeOnlyTools(
  ...given: readonly string[] | readonly [readonly string[], { readonly advice: string }]
): PhaseAction<"include_only_tools"> {
  const [ids, options] = given;
  if (!Array.isArray(ids)) return { type: "include_only_tools", tool_ids: given as readonly string[] };
  return { type: "include_only_tools", tool_ids: ids, ...(options as { readonly advice: string }) };
}

/** Changes the request on its way to the model, after everything else is in it. */
export function transformRequest(transform: RequestTransform): PhaseAction<"add_request_transform"> {
  return { type: "add_request_transform", transform };
}

/** Uses another model, or other settings, for this inference. */
export function overrideInference(options: InferenceOptions): PhaseAction<"override_inference"> {
  return { type: "override_inference", override: toStoredKeys(options) };
}

/** Shows the answer of this step only after every hook of `after_inference` has seen it. The text then comes at once, not as a stream. */
export function holdAnswer(): PhaseAction<"hold_answer"> {
  return { type: "hold_answer" };
}

/**
 * Replaces the text of the answer, for people and for the model. Its tool calls stay, and so does its reasoning unless it is dropped.
 * Returned before the inference, it answers without asking the model.
 */
export function replaceText(
  text: string,
  { dropReasoning = false }: { readonly dropReasoning?: boolean } = {},
): PhaseAction<"replace_text"> {
  return { type: "replace_text", text, ...(dropReasoning && { drop_reasoning: true }) };
}

/** Drops the answer with its tool calls, and asks the model again with this feedback. */
export function retryInference(feedback: string): PhaseAction<"retry_inference"> {
  return { type: "retry_inference", feedback };
}

/** Asks a person before the model is asked, or before its answer counts. Approved, the step continues; denied or expired, the run ends. */
export function suspendStep(options: SuspendStepOptions): PhaseAction<"suspend_step"> {
  return { type: "suspend_step", request: toStoredKeys(options) };
}

/** Ends the run. */
export function terminateRun(reason?: string): PhaseAction<"terminate"> {
  return reason === undefined ? { type: "terminate" } : { type: "terminate", reason };
}

export interface HandOffOptions {
  /** A word for the agent that takes over. */
  readonly message?: string;
  /** How many handoffs the run may have, this one included. 10 unless given. */
  readonly maxHandoffs?: number;
}

/**
 * Gives the run to another agent before its next step, once every call is over. The thread and the run stay. Refused when the agent is
 * unknown or not allowed, when the run has had too many handoffs, and when it has had this one before.
 */
export function handOff(agentId: string, { message, maxHandoffs }: HandOffOptions = {}): PhaseAction<"hand_off"> {
  return {
    type: "hand_off",
    agent_id: agentId,
    ...(message !== undefined && { message }),
    ...(maxHandoffs !== undefined && { max_handoffs: maxHandoffs }),
  };
}

/** Refuses the call; the model reads why. */
export function blockCall(reason: string): PhaseAction<"block"> {
  return { type: "block", reason };
}

/** Asks a person before the call continues. */
export function suspendCall(options: SuspendOptions): PhaseAction<"suspend"> {
  return { type: "suspend", request: toStoredKeys(options) };
}

/** Answers the call without executing it. */
export function setToolResult(result: ToolResult | Json): PhaseAction<"set_tool_result"> {
  return { type: "set_tool_result", result: isResult(result) ? toolResult(result) : result };
}

/** Whether a value is a whole result. */
function isResult(value: ToolResult | Json): value is ToolResult {
  const fields = ["tool_name", "status", "data", "message", "metadata"];
  return typeof value === "object" && value !== null && fields.every((field) => Object.hasOwn(value, field));
}

/** Adds a text for the model beside the tool's result. */
export function addSystemReminder(text: string): PhaseAction<"add_system_reminder"> {
  return { type: "add_system_reminder", text };
}

/** Adds a message to the thread after the round. Its role is always `user`. */
export function addUserMessage(message: MessageInput | string): PhaseAction<"add_user_message"> {
  const input: MessageInput = typeof message === "string" ? { role: "user", content: message } : message;
  return { type: "add_user_message", message: input };
}

/** Emits an event of a type that plugins may emit. Clients see it at once; it becomes durable with the next commit. */
export function emitEvent<Type extends PluginEventType>(type: Type, data: EventData[Type]): PhaseAction<"emit"> {
  // The data is that of the type, which the compiler cannot follow through the union.
  return { type: "emit", event: { type, data } as PluginEvent };
}

/** Schedules the plugin's handler `key`: it runs once, when the run next reaches the handler's phase. */
export function scheduleAction(key: string, payload: Json = null): PhaseAction<"schedule"> {
  return { type: "schedule", key, payload };
}

/** Runs the plugin's effect `key` after the commit that makes this phase's changes durable. */
export function emitEffect(key: string, payload: Json = null): PhaseAction<"effect"> {
  return { type: "effect", key, payload };
}
