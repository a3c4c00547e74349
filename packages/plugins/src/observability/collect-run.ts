import {
  type AgentEvent,
  type CostFact,
  type EventOf,
  type ModelAnswer,
  ModelError,
  type ModelWork,
  type ObservedRun,
  RepriseError,
  type RouteFact,
  type RunObserver,
  type ToolCallOutcome,
  type ToolResult,
  type ToolWork,
  terminationCode,
  type WorkEnding,
  type WorkObserver,
} from "@reprise/contracts";
import { getAt } from "@reprise/state";
import type { FailedAttempt, InferenceSpan, MetricsSink, RunMetrics, ToolSpan } from "./metrics-sink.ts";
import type { OpenSpan, OpenTelemetryRun } from "./open-telemetry-run.ts";
import { RunSums } from "./run-sums.ts";
import type { SuspendedCall } from "./trace-state.ts";

/** A turn of a model that is under way, or whose facts are not committed yet. */
interface OpenTurn {
  readonly work: ModelWork;
  readonly startedAt: number;
  readonly span: OpenSpan | undefined;
  endedAt?: number;
  answer?: ModelAnswer;
  errorType?: string;
  route?: RouteFact;
  readonly costs: CostFact[];
}

/** The same for a tool call. */
interface OpenCall {
  readonly name: string;
  readonly startedAt: number;
  readonly span: OpenSpan | undefined;
  readonly isExecuted: boolean;
  endedAt?: number;
}

export interface CollectorParts {
  readonly run: ObservedRun;
  readonly sink: MetricsSink | undefined;
  readonly trace: OpenTelemetryRun | undefined;
  /** Milliseconds since 1970, with fractions. */
  readonly now: () => number;
  /** The calls that were suspended when the activation began. */
  readonly suspended: Readonly<Record<string, SuspendedCall>>;
}

/**
 * Makes spans of what happens in one activation. Their times are those of the work itself; what they say is taken from committed events,
 * so a span ends when its commit is there, with the time at which its work ended.
 */
export class RunCollector implements RunObserver {
  readonly #parts: CollectorParts;
  readonly #startedAt: number;
  readonly #turns = new Map<string, OpenTurn[]>();
  readonly #calls = new Map<string, OpenCall>();
  readonly #names = new Map<string, string>();
  /** The calls that wait for a decision. */
  readonly #waiting: Map<string, SuspendedCall>;
  /** The spans of calls that were suspended: their next spans link to them. */
  readonly #links: Map<string, string>;
  readonly #firstChunks = new Map<string, number>();
  readonly #sums = new RunSums();
  #termination: string | undefined;
  #errorType: string | undefined;
  #errorText: string | undefined;
  #endedAt: number | undefined;
  readonly #told: Promise<unknown>[] = [];

  constructor(parts: CollectorParts) {
    this.#parts = parts;
    this.#startedAt = parts.now();
    const calls = Object.entries(parts.suspended);
    this.#waiting = new Map(calls);
    this.#links = new Map(
      calls.flatMap(([id, { traceparent }]) => (traceparent === undefined ? [] : [[id, traceparent]])),
    );
  }

  /** The span of the activation. */
  get traceparent(): string | undefined {
    return this.#parts.trace?.traceparent;
  }

  /** The span of a call that is being suspended; begun here when the call was never executed. */
  spanOf(callId: string, name: string): string | undefined {
    return (this.#calls.get(callId) ?? this.#answerCall(callId, name, undefined)).span?.traceparent;
  }

  model(work: ModelWork): WorkObserver<ModelAnswer> {
    const { trace, now } = this.#parts;
    const startedAt = now();
    const span = trace?.startInference(work, startedAt);
    const turn: OpenTurn = { work, startedAt, span, costs: [] };
    const turns = this.#turns.get(work.stepId);
    if (turns === undefined) this.#turns.set(work.stepId, [turn]);
    else turns.push(turn);
    return {
      ...(span !== undefined && { enter: span.enter }),
      end: (ending) => {
        turn.endedAt = now();
        if ("answer" in ending) turn.answer = ending.answer;
        else turn.errorType = errorTypeOf(ending.error);
      },
    };
  }

  tool(work: ToolWork): WorkObserver<ToolResult> {
    const { trace, now } = this.#parts;
    const startedAt = now();
    const span = trace?.startTool(work, startedAt, this.#links.get(work.callId));
    const call: OpenCall = { name: work.tool.id, startedAt, span, isExecuted: true };
    this.#calls.set(work.callId, call);
    return {
      ...(span !== undefined && { enter: span.enter }),
      end: (_: WorkEnding<ToolResult>) => {
        call.endedAt = now();
      },
    };
  }

  event(event: AgentEvent): Promise<unknown> | undefined {
    this.#take(event);
    return this.#reportFailures();
  }

  #take(event: AgentEvent): void {
    const { step_id: stepId = "" } = event;
    switch (event.type) {
      case "text_delta":
      case "reasoning_delta":
      case "tool_call_start":
        if (!this.#firstChunks.has(stepId)) this.#firstChunks.set(stepId, event.timestamp_ms);
        return;
      case "tool_call_ready":
        this.#names.set(event.data.id, event.data.name);
        return;
      case "model_routed":
        return this.#takeRoute(stepId, event.data);
      case "cost_recorded":
        return this.#takeCost(stepId, event.data);
      case "inference_complete":
        return this.#finishTurns(stepId, this.#firstChunkMs(stepId, event));
      case "tool_call_done":
        return this.#finishCall(event);
      case "tool_call_resumed":
        return this.#decide(event.data.target_id, String(getAt(event.data.result, ["action"]) ?? "decided"), event);
      case "tool_call_cancelled":
        return this.#decide(event.data.id, event.data.reason, event);
      case "step_end":
        return this.#finishTurns(stepId);
      case "model_waiting":
        this.#termination = "model_waiting";
        return this.#finishTurns(stepId);
      case "agent_handoff":
        return this.#handOver(event);
      case "run_finish":
        return this.#finishRun(event);
      default:
    }
  }

  close(): Promise<unknown> | undefined {
    const { run, sink, trace, now } = this.#parts;
    for (const stepId of this.#turns.keys()) this.#finishTurns(stepId);
    for (const [callId, call] of this.#calls) call.span?.endOpen(call.endedAt ?? now(), callId);
    this.#calls.clear();
    // Without a commit of its end the run continues in another process, or here again.
    const termination = this.#termination ?? "given_back";
    const metrics: RunMetrics = {
      ...this.#owner,
      startedAt: this.#startedAt,
      durationMs: (this.#endedAt ?? now()) - this.#startedAt,
      termination,
      errorType: this.#errorType,
      ...this.#sums.read(),
    };
    trace?.endRun(metrics, this.#errorText);
    if (isDelegated(run) && isOver(this.#termination)) {
      const { parentRunId, parentCallId } = run;
      const startedAt = run.createdAt;
      const durationMs = Math.max(0, (this.#endedAt ?? now()) - startedAt);
      const delegation = { ...this.#owner, startedAt, durationMs, parentRunId, parentCallId, termination };
      this.#tell(() => sink?.onDelegation?.(delegation));
    }
    this.#tell(() => sink?.onRunEnd?.(metrics));
    return this.#reportFailures();
  }

  /** Tells the sink, and keeps its failure for later: spans that are open must not suffer from it. */
  #tell(call: () => unknown): void {
    try {
      const told = call();
      if (told instanceof Promise) this.#told.push(told);
    } catch (error) {
      this.#told.push(Promise.reject(error));
    }
  }

  /** The runtime logs what an observer fails with, now or later. */
  #reportFailures(): Promise<unknown> | undefined {
    return this.#told.length === 0 ? undefined : Promise.all(this.#told.splice(0));
  }

  get #owner(): Pick<RunMetrics, "runId" | "threadId" | "agentId" | "tenant"> {
    const { runId, threadId, agentId, tenant } = this.#parts.run;
    return { runId, threadId, agentId, tenant };
  }

  /** Each turn has its facts in the order in which the turns were taken. */
  #takeRoute(stepId: string, route: RouteFact): void {
    const turns = this.#turns.get(stepId) ?? [];
    const turn = turns.find((each) => each.route === undefined);
    if (turn === undefined) return;
    turn.route = route;
    // A turn before it was tried in vain: it has all its facts.
    while (turns[0] !== undefined && turns[0] !== turn) this.#finishTurn(turns, undefined);
  }

  #takeCost(stepId: string, cost: CostFact): void {
    this.#sums.addCost(cost.model, cost.cost_microcents);
    this.#parts.trace?.countCost(cost);
    // What a plugin asked a model is the run's cost and no turn of the run.
    if ("plugin" in cost && cost.plugin !== undefined) return;
    this.#turns
      .get(stepId)
      ?.findLast(({ route }) => route !== undefined)
      ?.costs.push(cost);
  }

  #firstChunkMs(stepId: string, { timestamp_ms, data }: EventOf<"inference_complete">): number | undefined {
    const first = this.#firstChunks.get(stepId);
    return first === undefined ? undefined : Math.max(0, first - (timestamp_ms - data.duration_ms));
  }

  #finishTurns(stepId: string, firstChunkMs?: number): void {
    const turns = this.#turns.get(stepId);
    if (turns === undefined) return;
    while (turns.length > 0) this.#finishTurn(turns, firstChunkMs);
    this.#turns.delete(stepId);
    this.#firstChunks.delete(stepId);
  }

  /** Ends the first turn of a list. */
  #finishTurn(turns: OpenTurn[], timeToFirstChunkMs: number | undefined): void {
    const turn = turns.shift();
    if (turn === undefined) return;
    const { work, startedAt, route, costs, answer, endedAt = this.#parts.now() } = turn;
    const tried = (route?.chain ?? []).filter(({ outcome }) => outcome !== "skipped");
    const last = tried.at(-1);
    const usage = answer?.usage ?? {};
    const span: InferenceSpan = {
      ...this.#owner,
      stepId: work.stepId,
      startedAt,
      durationMs: endedAt - startedAt,
      model: last?.model ?? work.model,
      requestedModel: work.model,
      provider: last?.provider,
      inputTokens: usage.prompt_tokens,
      outputTokens: usage.completion_tokens,
      cacheReadTokens: usage.cache_read_tokens,
      cacheCreationTokens: usage.cache_creation_tokens,
      reasoningTokens: usage.thinking_tokens,
      costMicrocents: costs.some(({ priced }) => priced)
        ? costs.reduce((sum, cost) => sum + cost.cost_microcents, 0)
        : undefined,
      timeToFirstChunkMs,
      stopReason: answer?.stopReason,
      errorType: answer === undefined ? (turn.errorType ?? "interrupted") : undefined,
      failedAttempts: tried.filter(({ outcome }) => outcome === "failed").map(toFailedAttempt),
    };
    this.#sums.addInference(span);
    turn.span?.endInference(span, answer);
    this.#tell(() => this.#parts.sink?.onInference?.(span));
  }

  #finishCall({ data, step_id, timestamp_ms }: EventOf<"tool_call_done">): void {
    const { id, outcome, result } = data;
    // Questions of the runtime itself have no tool.
    if (result.tool_name.startsWith("reprise/")) return;
    const name = this.#names.get(id) ?? result.tool_name;
    const call = this.#calls.get(id) ?? this.#answerCall(id, name, step_id);
    this.#calls.delete(id);
    const span: ToolSpan = {
      ...this.#owner,
      callId: id,
      stepId: step_id,
      name: call.name,
      startedAt: call.startedAt,
      durationMs: (call.endedAt ?? call.startedAt) - call.startedAt,
      outcome,
      errorType: toolErrorType(outcome, result),
      isExecuted: call.isExecuted,
    };
    this.#sums.addTool(span);
    call.span?.endTool(span, result);
    this.#tell(() => this.#parts.sink?.onTool?.(span));
    if (outcome !== "suspended") return;
    const action = data.suspended?.ticket.suspension.action;
    this.#waiting.set(id, { name: call.name, at: timestamp_ms, ...(action !== undefined && { action }) });
    if (call.span?.traceparent !== undefined) this.#links.set(id, call.span.traceparent);
  }

  /** A call that is over, or suspended, without having been executed. */
  #answerCall(callId: string, name: string, stepId: string | undefined): OpenCall {
    const { trace, now } = this.#parts;
    const at = now();
    const span = trace?.startAnswered({ callId, name, stepId }, at, this.#links.get(callId));
    const call: OpenCall = { name, startedAt: at, endedAt: at, span, isExecuted: false };
    this.#calls.set(callId, call);
    return call;
  }

  /** A call that waits is decided once: one that is denied is cancelled as well. */
  #decide(callId: string, decision: string, { timestamp_ms }: AgentEvent): void {
    const waiting = this.#waiting.get(callId);
    if (waiting === undefined) return;
    this.#waiting.delete(callId);
    const { name, at, action } = waiting;
    const durationMs = Math.max(0, timestamp_ms - at);
    const span = { ...this.#owner, callId, name, startedAt: at, durationMs, action, decision };
    this.#parts.trace?.addSuspension(span, this.#links.get(callId));
    this.#tell(() => this.#parts.sink?.onSuspension?.(span));
  }

  #handOver({ data: { to, number } }: EventOf<"agent_handoff">): void {
    const { sink, now } = this.#parts;
    const startedAt = this.#startedAt;
    this.#endedAt = now();
    this.#termination = HANDED_OFF;
    const handoff = { ...this.#owner, startedAt, durationMs: this.#endedAt - startedAt, to, number };
    this.#tell(() => sink?.onHandoff?.(handoff));
  }

  #finishRun({ data }: EventOf<"run_finish">): void {
    const { termination } = data;
    this.#endedAt = this.#parts.now();
    this.#termination = terminationCode(termination);
    if (termination.type !== "error") return;
    this.#errorType = termination.code ?? "_OTHER";
    this.#errorText = termination.value;
  }
}

function toFailedAttempt(attempt: RouteFact["chain"][number]): FailedAttempt {
  const { provider, model, error, started_ms: startedMs, duration_ms: durationMs, cost_microcents = 0 } = attempt;
  return { attempt: attempt.attempt, provider, model, error, startedMs, durationMs, costMicrocents: cost_microcents };
}

/** A low-cardinality name of what went wrong. */
function errorTypeOf(error: unknown): string {
  if (ModelError.is(error)) return error.kind;
  if (RepriseError.is(error)) return error.code;
  return error instanceof Error ? error.name : "_OTHER";
}

function toolErrorType(outcome: ToolCallOutcome, { data }: ToolResult): string | undefined {
  if (outcome !== "failed") return undefined;
  const code = getAt(data, ["error", "code"]);
  return typeof code === "string" ? code : "_OTHER";
}

type Delegated = ObservedRun & { readonly parentRunId: string };

/** Whether a run works for another one. A run that supersedes a waiting one has it above as well, on its own thread. */
function isDelegated(run: ObservedRun): run is Delegated {
  const isElsewhere = run.parentThreadId !== undefined && run.parentThreadId !== run.threadId;
  return run.parentRunId !== undefined && (run.parentCallId !== undefined || isElsewhere);
}

const HANDED_OFF = "handed_off";

/** Whether a run is over for good. */
function isOver(termination: string | undefined): boolean {
  return termination !== undefined && ![HANDED_OFF, "input_required", "model_waiting"].includes(termination);
}
