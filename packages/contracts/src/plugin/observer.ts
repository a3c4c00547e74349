import type { Json } from "@reprise/state";
import type { AgentEvent } from "../event/event.ts";
import type { ModelRequest, StopReason, TokenUsage } from "../model/model.ts";
import type { ToolDescriptor } from "../tool/tool-descriptor.ts";
import type { ToolResult } from "../tool/tool-result.ts";
import type { PhaseState } from "./phase-context.ts";

/** A run at the beginning of an activation, as observers see it. */
export interface ObservedRun {
  readonly runId: string;
  readonly threadId: string;
  readonly agentId: string;
  readonly tenant: string;
  readonly parentRunId?: string;
  readonly parentThreadId?: string;
  /** The tool call of the run above that started this run. */
  readonly parentCallId?: string;
  /** Why the activation begins: the run is new, continues after it waited, or lost its owner. `handoff`: another agent takes over within it. */
  readonly activation: "start" | "resume" | "recover" | "handoff";
  /** The trace that the run belongs to: that of the request that started it, in the form of W3C Trace Context. */
  readonly traceparent?: string;
  /** The `tracestate` that came with it. */
  readonly tracestate?: string;
  /** When the run was started, in the store's time. */
  readonly createdAt: number;
  /** The state as the activation found it. */
  readonly state: PhaseState;
  /** The agent's configuration for a section that the plugin declared. */
  section(key: string): Json | undefined;
}

/** A model is asked. One turn may take several attempts; `model_routed` lists them. */
export interface ModelWork {
  readonly stepId: string;
  /** The id of the model that is wanted. A route stands for several. */
  readonly model: string;
  readonly request: Pick<ModelRequest, "system" | "messages" | "tools" | "options">;
}

/** The answer of a model. */
export interface ModelAnswer {
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly arguments: Json }[];
  readonly stopReason: StopReason;
  readonly usage: TokenUsage;
}

/** A tool is executed. Calls that are refused, answered by a plugin or suspended before their execution are no work. */
export interface ToolWork {
  readonly stepId: string;
  readonly callId: string;
  readonly tool: ToolDescriptor;
  readonly arguments: Json;
  /** How often the call was suspended before. */
  readonly suspension: number;
}

/** How a piece of work ended: with an answer, or with what it threw. */
export type WorkEnding<Answer> = { readonly answer: Answer } | { readonly error: unknown };

/** Watches one piece of work. */
export interface WorkObserver<Answer> {
  /**
   * Runs the work's code in a context of the observer's choice, such as a trace's. It must call `run` before it returns; the runtime
   * calls `run` itself when it does not.
   */
  enter?(run: () => void): void;
  /** Called once, at the time the work ends. */
  end?(ending: WorkEnding<Answer>): void;
}

/** Watches one activation of a run, beside the loop. */
export interface RunObserver {
  /** An event that this activation committed, in order. The first `run_start` is committed before, with the request. */
  event?(event: AgentEvent): void;
  model?(work: ModelWork): WorkObserver<ModelAnswer> | undefined;
  tool?(work: ToolWork): WorkObserver<ToolResult> | undefined;
  /** The activation is over in this process: the run waits, is done, or continues elsewhere. For a plugin also: another agent took over. */
  close?(): void;
}

/**
 * Begins to watch an activation. An observer sees and cannot act: nothing that it returns or throws reaches the run, and the first
 * failure of each activation is logged. Observers run live only, never in a replay. An event is observed at most once: a crash
 * after the commit loses the observation.
 */
export type Observe = (run: ObservedRun) => RunObserver | undefined;
