import type { Json, StateAction } from "@reprise/state";
import type { SuspendOptions, SuspendRequest } from "../decision/suspend-ticket.ts";
import type { ContextOmission, ContextRef } from "../event/context-ref.ts";
import type { PluginEvent } from "../event/event-data.ts";
import type { MessageInput } from "../message/message.ts";
import type { ModelRequest } from "../model/model.ts";
import type { ReasoningEffort } from "../run/chat-options.ts";
import type { SnakeCased } from "../shape/stored-names.ts";
import type { ToolResult } from "../tool/tool-result.ts";
import type { OperatorText } from "./operator-text.ts";
import type { Phase } from "./phase.ts";

/** Overrides for one inference. With several overrides the last one wins, field by field. */
export interface InferenceOptions {
  /** The id of a model the runtime knows. */
  readonly model?: string;
  readonly fallbackModels?: readonly string[];
  readonly temperature?: number;
  readonly maxTokens?: number;
  readonly topP?: number;
  readonly reasoningEffort?: ReasoningEffort;
}

/** `InferenceOptions` as they are stored. */
export interface InferenceOverride extends SnakeCased<InferenceOptions> {}

/** Changes a request on its way to the model. Pure. */
export type RequestTransform = (request: ModelRequest) => ModelRequest;

/** A question about a step: there is no call that it could be about. */
export interface SuspendStepOptions
  extends Pick<SuspendOptions, "action" | "message" | "parameters" | "pending" | "expiresInMs"> {}

/** Everything a plugin may ask for, by type. */
export interface PhaseActions {
  /** Changes state through one of its own actions. */
  state: { readonly action: StateAction; readonly call_id?: string };
  add_system_context: { readonly text: OperatorText; readonly refs?: readonly ContextRef[] };
  /** Text for this inference only, in the user's position, marked with who added it. */
  add_session_context: { readonly text: string; readonly key?: string; readonly refs?: readonly ContextRef[] };
  /** Facts about this inference's context for `context_resolved`: sources of a transformed request, and sources left out. */
  note_context: { readonly refs?: readonly ContextRef[]; readonly omissions?: readonly ContextOmission[] };
  /** Holds back the answer of this step until the hooks of `after_inference` have seen it. */
  hold_answer: Record<never, never>;
  /**
   * The answer has this text instead of the model's; its tool calls stay. Before the inference the model is not asked at all, and this is
   * the answer.
   */
  replace_text: { readonly text: string; readonly drop_reasoning?: boolean };
  /** The answer is dropped with its tool calls, and the model is asked again with this feedback. */
  retry_inference: { readonly feedback: string };
  /** Asks a person before the step continues: before the model is asked, or before the answer counts. A denial ends the run. */
  suspend_step: { readonly request: SuspendRequest };
  exclude_tool: { readonly tool_id: string } | { readonly tool_ids: readonly string[] };
  /** Of several the union counts; what is excluded stays so. A call of a tool that no list names is refused with the first `advice`. */
  include_only_tools: { readonly tool_ids: readonly string[]; readonly advice?: string };
  add_request_transform: { readonly transform: RequestTransform };
  override_inference: { readonly override: InferenceOverride };
  /** Ends the run as `behavior_requested`. */
  terminate: { readonly reason?: string };
  /**
   * Another agent takes over the run before its next step: its prompt, model, tools and plugins; the thread stays. `max_handoffs` limits the
   * handoffs of the run.
   */
  hand_off: { readonly agent_id: string; readonly message?: string; readonly max_handoffs?: number };
  /** The call is not executed; the model is told why. */
  block: { readonly reason: string };
  suspend: { readonly request: SuspendRequest };
  /** The call is not executed; this is its result. */
  set_tool_result: { readonly result: ToolResult | Json };
  /** Text the model sees after the tool's result, marked with who added it. */
  add_system_reminder: { readonly text: string };
  add_user_message: { readonly message: MessageInput };
  /** Has one of the plugin's own handlers act later: once, durably, when the run next comes to the handler's phase. */
  schedule: { readonly key: string; readonly payload: Json };
  /** Emits an event at once. It becomes durable with the next commit. */
  emit: { readonly event: PluginEvent };
  /** Has one of the plugin's own effects happen once this phase's changes are committed. */
  effect: { readonly key: string; readonly payload: Json };
}

export type ActionType = keyof PhaseActions;

/** An action of a hook, of one of the types that its phase allows. */
export type PhaseAction<Type extends ActionType = ActionType> = {
  [Each in Type]: { readonly type: Each } & PhaseActions[Each];
}[Type];

type Common = "state" | "emit" | "schedule" | "effect";

/** The types of action each phase takes. */
export interface ActionsByPhase {
  run_start: Common | "hand_off";
  step_start: Common;
  before_inference:
    | Common
    | "add_system_context"
    | "add_session_context"
    | "note_context"
    | "exclude_tool"
    | "include_only_tools"
    | "add_request_transform"
    | "override_inference"
    | "hold_answer"
    | "replace_text"
    | "suspend_step"
    | "terminate";
  after_inference: Common | "replace_text" | "retry_inference" | "suspend_step" | "terminate";
  step_end: Common | "hand_off";
  before_tool_execute: Common | "block" | "suspend" | "set_tool_result";
  after_tool_execute: Common | "add_system_reminder" | "add_user_message";
  run_end: Common;
}

/** The actions a hook of a phase may return. */
export type ActionOf<In extends Phase> = PhaseAction<ActionsByPhase[In]>;

const COMMON: readonly Common[] = ["state", "emit", "schedule", "effect"];

/** The same for the check at run time. */
export const PHASE_ACTIONS: { readonly [In in Phase]: readonly ActionsByPhase[In][] } = {
  run_start: [...COMMON, "hand_off"],
  step_start: COMMON,
  before_inference: [
    ...COMMON,
    "add_system_context",
    "add_session_context",
    "note_context",
    "exclude_tool",
    "include_only_tools",
    "add_request_transform",
    "override_inference",
    "hold_answer",
    "replace_text",
    "suspend_step",
    "terminate",
  ],
  after_inference: [...COMMON, "replace_text", "retry_inference", "suspend_step", "terminate"],
  step_end: [...COMMON, "hand_off"],
  before_tool_execute: [...COMMON, "block", "suspend", "set_tool_result"],
  after_tool_execute: [...COMMON, "add_system_reminder", "add_user_message"],
  run_end: COMMON,
};
