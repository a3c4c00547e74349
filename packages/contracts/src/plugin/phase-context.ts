import type { Immutable, Json, Path, StateDefinition } from "@reprise/state";
import type { AgentSpec, AgentSummary, ContextWindow } from "../agent/agent-spec.ts";
import type { Decision } from "../decision/decision.ts";
import type { SuspendTicket } from "../decision/suspend-ticket.ts";
import type { KeptDocuments } from "../document/documents.ts";
import type { Egress } from "../env/egress.ts";
import type { ContextFact } from "../event/event-data.ts";
import type { Message } from "../message/message.ts";
import type { ModelRequest, StopReason, TokenUsage } from "../model/model.ts";
import type { RunPolicy } from "../run/run-policy.ts";
import type { Termination } from "../run/termination.ts";
import type { ChildRun } from "../tool/child-runs.ts";
import type { ToolDescriptor } from "../tool/tool-descriptor.ts";
import type { ToolResult } from "../tool/tool-result.ts";
import type { Phase } from "./phase.ts";
import type { PluginAnswer, PluginInference } from "./plugin-inference.ts";

/** The state as it was when the phase began: the same for every hook of the phase. Frozen. */
export interface PhaseState {
  get<State>(definition: StateDefinition<State>, callId?: string): Immutable<State>;
  at(path: Path): Json | undefined;
}

/** The context of every hook. Read-only: a hook acts through the actions it returns. */
export interface PhaseContext {
  readonly phase: Phase;
  readonly state: PhaseState;
  readonly messages: readonly Message[];
  /** Steps begun so far in this run. */
  readonly step: number;
  readonly runId: string;
  readonly threadId: string;
  readonly agentId: string;
  /** Every agent that worked on the run so far, in order. The last one is `agentId`. */
  readonly agentPath: readonly string[];
  /** The spec of the agent as it was resolved. */
  readonly agentSpec: AgentSpec;
  /** The agents that may work for this one. */
  readonly agents: readonly AgentSummary[];
  readonly tenant: string;
  /** The resource that the run works for: the one of its thread, or else the one that the run was started with. */
  readonly resourceId?: string;
  readonly parentRunId?: string;
  readonly policy: RunPolicy;
  /** One reading of the clock for the whole phase. */
  readonly now: number;
  /** Aborted when the run is cancelled or its owner lost its claim. */
  readonly signal: AbortSignal;
  /** A section of the agent's spec that this plugin declared, checked against its schema. */
  section(key: string): Json | undefined;
  /** The plugin that brings a tool; undefined for tools of the agent itself. */
  pluginOf(toolId: string): string | undefined;
  /** A new id that follows from the run and the place in it. */
  id(): string;
  /** Documents of a kind that belong to the tenant instead of a thread: settings, grants, notes. Kinds are shared by all plugins and tools. */
  documents(kind: string): KeptDocuments;
  /** A run that a tool call of this thread started; undefined when there is none. Recorded. */
  findRun(runId: string): Promise<ChildRun | undefined>;
  /** Runs something impure and keeps its answer with the run, so that a replay has it without running it. */
  record<Value extends Json>(name: string, run: () => Promise<Value> | Value): Promise<Value>;
  /** The way to servers on the network, when the process has one. Ask them inside `record`. */
  readonly egress?: Egress;
  /**
   * Asks a model. The run pays: `cost_recorded` names the plugin, and the budget counts it. Recorded, so that a replay does not ask again.
   * Rejects when no model answers, and when the run is cancelled.
   *
   * A hook need not wait. The request then continues beside the run, also after its end, and its cost is recorded with the next phase of the
   * thread. A later hook learns the answer through `record`.
   */
  infer(question: PluginInference): Promise<PluginAnswer>;
  /** The space for the agent's requests. Absent when neither a context policy nor the model sets a limit. */
  readonly window?: ContextWindow;
  /** How many tokens parts of a request are, as the runtime counts them for the window. */
  countTokens(parts: Partial<Pick<ModelRequest, "system" | "tools" | "messages">>): Promise<number>;
}

/** A call as hooks see it. */
export interface CallView {
  readonly callId: string;
  readonly toolId: string;
  readonly arguments: Json;
  /** How often the call was suspended before. */
  readonly suspension: number;
}

export interface RunStartContext extends PhaseContext {
  /**
   * Why the activation begins: the run starts (`start`), continues after a wait or was given back by a process that closed (`resume`), or its
   * process died (`recover`).
   */
  readonly activation: "start" | "resume" | "recover";
}

export interface BeforeInferenceContext extends PhaseContext {
  /** The system text, before plugins add to it. */
  readonly system: string;
  /** The tools the model would be told about. */
  readonly tools: readonly ToolDescriptor[];
}

export interface AfterInferenceContext extends PhaseContext {
  readonly text: string;
  /** The reasoning of the model. Empty when the provider does not return it. */
  readonly reasoning: string;
  readonly calls: readonly CallView[];
  /** The tools that `before_inference` saw. */
  readonly tools: readonly ToolDescriptor[];
  /** Ids that plugins excluded from this step. */
  readonly excludedTools: readonly string[];
  readonly usage: TokenUsage;
  readonly stopReason: StopReason;
  /** The data of the request's `context_resolved`. Undefined when the request had no such event. */
  readonly resolved: ContextFact | undefined;
  /** Counts the answers of this step: 1, and one more after each `retryInference`. */
  readonly attempt: number;
}

export interface BeforeToolExecuteContext extends PhaseContext {
  readonly call: CallView;
  readonly tool: ToolDescriptor;
  /** The decision that let the call continue, if it was suspended before. */
  readonly decision: Decision | undefined;
  /** The question that was just answered; its `asked_by` says whose it was. Undefined when a crash came between answer and call. */
  readonly question: SuspendTicket | undefined;
}

/**
 * The outcome of a call. Only the first two may have been executed.
 * - `succeeded`, `failed`: it was executed, or a plugin or a decision gave its result.
 * - `suspended`: it waits for a decision; there is another outcome later, unless the run ends first.
 * - `blocked`: a plugin refused it.
 * - `refused`: the run, or this step of it, may not use the tool.
 * - `invalid`: its arguments do not fit.
 * - `missing`: the agent has no such tool.
 * - `denied`: a person said no. · `expired`: no decision came in time.
 */
export type AfterToolOutcome =
  | "succeeded"
  | "failed"
  | "suspended"
  | "blocked"
  | "refused"
  | "invalid"
  | "missing"
  | "denied"
  | "expired";

export interface AfterToolExecuteContext extends PhaseContext {
  readonly call: CallView;
  /** Undefined when the agent has no such tool. */
  readonly tool: ToolDescriptor | undefined;
  readonly result: ToolResult;
  readonly outcome: AfterToolOutcome;
  /** The decision that ended the call, and the question it answered. Both are there when the outcome is `denied`. */
  readonly decision: Decision | undefined;
  readonly question: SuspendTicket | undefined;
}

export interface RunEndContext extends PhaseContext {
  readonly termination: Termination;
}

/** The context of the hooks of each phase. */
export interface PhaseContexts {
  run_start: RunStartContext;
  step_start: PhaseContext;
  before_inference: BeforeInferenceContext;
  after_inference: AfterInferenceContext;
  step_end: PhaseContext;
  before_tool_execute: BeforeToolExecuteContext;
  after_tool_execute: AfterToolExecuteContext;
  run_end: RunEndContext;
}
