import type { ModelErrorKind, StopReason, ToolCallOutcome } from "@reprise/contracts";

/** Where a span belongs. */
interface SpanOwner {
  readonly runId: string;
  readonly threadId: string;
  readonly agentId: string;
  readonly tenant: string;
}

/** When something happened, in milliseconds since 1970, and how long it took. */
interface SpanTimes {
  readonly startedAt: number;
  readonly durationMs: number;
}

/** A failed attempt of an inference. */
export interface FailedAttempt {
  readonly attempt: number;
  readonly provider: string;
  readonly model: string;
  readonly error: ModelErrorKind | undefined;
  /** Milliseconds since the inference began; undefined for runs of earlier versions. */
  readonly startedMs: number | undefined;
  readonly durationMs: number | undefined;
  readonly costMicrocents: number;
}

/** One turn of a model. */
export interface InferenceSpan extends SpanOwner, SpanTimes {
  readonly stepId: string;
  /** The model that answered, or that was asked last. */
  readonly model: string;
  /** The model that was wanted; a route stands for several. */
  readonly requestedModel: string;
  readonly provider: string | undefined;
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
  readonly cacheReadTokens: number | undefined;
  readonly cacheCreationTokens: number | undefined;
  readonly reasoningTokens: number | undefined;
  /** In millionths of a cent, failed attempts included; undefined where no price is known. */
  readonly costMicrocents: number | undefined;
  readonly timeToFirstChunkMs: number | undefined;
  readonly stopReason: StopReason | undefined;
  /** Why no model answered. */
  readonly errorType: string | undefined;
  readonly failedAttempts: readonly FailedAttempt[];
}

/** One tool call: its execution, or its answer without one. */
export interface ToolSpan extends SpanOwner, SpanTimes {
  readonly stepId: string | undefined;
  readonly callId: string;
  readonly name: string;
  readonly outcome: ToolCallOutcome;
  readonly errorType: string | undefined;
  /** False for a call that was refused, answered by a plugin or a decision, or suspended before its execution. */
  readonly isExecuted: boolean;
}

/** The time between the suspension of a call and its decision. */
export interface SuspensionSpan extends SpanOwner, SpanTimes {
  readonly callId: string;
  readonly name: string;
  /** The kind of question, such as `approval`. */
  readonly action: string | undefined;
  /** `resume` or `cancel`, or the reason why the call was cancelled without a decision. */
  readonly decision: string;
}

/** A run that worked for another one. */
export interface DelegationSpan extends SpanOwner, SpanTimes {
  readonly parentRunId: string;
  readonly parentCallId: string | undefined;
  readonly termination: string;
}

/** The work of an agent on a run that it handed to another agent. */
export interface HandoffSpan extends SpanOwner, SpanTimes {
  /** The agent that took over. */
  readonly to: string;
  /** Counts the handoffs of the run. */
  readonly number: number;
}

/** Counts of one model or tool. */
export interface WorkStats {
  readonly count: number;
  readonly errors: number;
  readonly durationMs: number;
}

export interface ModelStats extends WorkStats {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costMicrocents: number;
}

/** The sums of one activation. A run that waited has several; their sums are the run's. */
export interface RunMetrics extends SpanOwner, SpanTimes {
  /** Why the activation ended, as in the run's record: `natural`, `input_required`, `error`, …; `handed_off` when another agent took over. */
  readonly termination: string;
  readonly errorType: string | undefined;
  readonly inferences: number;
  readonly toolCalls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly totalTokens: number;
  /** Everything that the activation asked models, also by plugins. */
  readonly costMicrocents: number;
  readonly models: Readonly<Record<string, ModelStats>>;
  readonly tools: Readonly<Record<string, WorkStats>>;
}

/**
 * Receives the work of agents once it is committed. No run waits for a sink, and errors of a sink are logged. A replay never calls a
 * sink.
 */
export interface MetricsSink {
  onInference?(span: InferenceSpan): void;
  onTool?(span: ToolSpan): void;
  onSuspension?(span: SuspensionSpan): void;
  /** At the end of a run that worked for another one. */
  onDelegation?(span: DelegationSpan): void;
  /** When the agent handed the run to another one. */
  onHandoff?(span: HandoffSpan): void;
  /** At the end of every activation, and when another agent takes over. */
  onRunEnd?(metrics: RunMetrics): void;
}
