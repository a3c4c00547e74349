import type {
  Attributes,
  AttributeValue,
  Context,
  Link,
  Span,
  SpanContext,
  SpanOptions,
  Tracer,
} from "@opentelemetry/api";
import {
  type CostFact,
  isTraceparent,
  type ModelAnswer,
  type ModelWork,
  type ObservedRun,
  type ToolResult,
  type ToolWork,
} from "@reprise/contracts";
import type { Json } from "@reprise/state";
import {
  contentText,
  describeAnswer,
  describeMessages,
  describeTools,
  type RedactContent,
} from "./captured-content.ts";
import { formatTraceparent } from "./current-traceparent.ts";
import type { FailedAttempt, InferenceSpan, RunMetrics, SuspensionSpan, ToolSpan } from "./metrics-sink.ts";
import {
  ATTRIBUTE_NAMES,
  type AttributeKey,
  type Conventions,
  modelName,
  providerName,
  SPANS,
  type SpanKey,
  spanName,
} from "./names.ts";
import type { OpenTelemetryApi } from "./open-telemetry-api.ts";
import type { Instruments } from "./open-telemetry-metrics.ts";
import type { TraceState } from "./trace-state.ts";

/** How spans are written. */
export interface TraceOptions {
  readonly conventions: Conventions;
  readonly captureContent: boolean;
  readonly redact: RedactContent;
}

/** A span that began and has not ended. */
export interface OpenSpan {
  readonly traceparent: string | undefined;
  /** Runs code inside the span. */
  readonly enter: (run: () => void) => void;
  endInference(span: InferenceSpan, answer: ModelAnswer | undefined): void;
  endTool(span: ToolSpan, result: ToolResult): void;
  /** Ends a span whose work was never committed. */
  endOpen(at: number, callId: string): void;
}

type Values = { readonly [Key in AttributeKey]?: AttributeValue | undefined };

/** Millionths of a cent in a dollar. */
const MICROCENTS = 100_000_000;

/** The OpenTelemetry spans and metrics of one activation. */
export class OpenTelemetryRun {
  readonly #api: OpenTelemetryApi;
  readonly #tracer: Tracer;
  readonly #instruments: Instruments;
  readonly #run: ObservedRun;
  readonly #options: TraceOptions;
  readonly #span: Span;
  readonly #context: Context;
  /** Where spans belong that began before this activation. */
  readonly #earlier: Context;

  constructor(
    api: OpenTelemetryApi,
    instruments: Instruments,
    { run, state, options, startedAt }: OpenTelemetryRunParts,
  ) {
    this.#api = api;
    this.#tracer = api.trace.getTracer("reprise");
    this.#instruments = instruments;
    this.#run = run;
    this.#options = options;
    const { agentId, parentRunId, tenant, activation } = run;
    const values: Values = { parentRunId, tenant, activation };
    // A run that is continued stays in its trace, below its first span; a new one follows the request that started it.
    const above = this.#remote(state.first ?? run.traceparent);
    // Every span below takes the state of the trace over.
    const traceState = run.tracestate === undefined ? {} : { traceState: api.createTraceState(run.tracestate) };
    const parent =
      above === undefined ? api.ROOT_CONTEXT : api.trace.setSpanContext(api.ROOT_CONTEXT, { ...above, ...traceState });
    this.#span = this.#start("run", agentId, { values, startedAt, parent, link: state.last });
    this.#context = api.trace.setSpan(api.ROOT_CONTEXT, this.#span);
    this.#earlier = state.first === undefined ? this.#context : parent;
  }

  get traceparent(): string | undefined {
    return formatTraceparent(this.#span);
  }

  startInference(work: ModelWork, startedAt: number): OpenSpan {
    const { stepId, model, request } = work;
    const { temperature, top_p: topP, max_tokens: maxTokens, stop_sequences: stopSequences, seed } = request.options;
    const values = { stepId, requestModel: model, ...plain({ temperature, topP, maxTokens, stopSequences, seed }) };
    return this.#open(this.#start("inference", model, { values, startedAt }), work);
  }

  startTool(
    { stepId, callId, tool, arguments: given }: ToolWork,
    startedAt: number,
    link: string | undefined,
  ): OpenSpan {
    const { captureContent, redact } = this.#options;
    const values: Values = {
      stepId,
      toolName: tool.id,
      toolCallId: callId,
      toolType: "function",
      toolDescription: tool.description,
      ...(captureContent && { toolArguments: contentText(given, redact) }),
    };
    return this.#open(this.#start("tool", tool.id, { values, startedAt, link }));
  }

  /** The span of a call without an execution. */
  startAnswered(
    { callId, name, stepId }: { readonly callId: string; readonly name: string; readonly stepId: string | undefined },
    at: number,
    link: string | undefined,
  ): OpenSpan {
    const values: Values = { stepId, toolName: name, toolCallId: callId, toolType: "function" };
    return this.#open(this.#start("tool", name, { values, startedAt: at, link }));
  }

  addSuspension(span: SuspensionSpan, link: string | undefined): void {
    const { name, callId, action, decision, startedAt, durationMs } = span;
    const values: Values = { toolName: name, toolCallId: callId, question: action, decision };
    this.#start("suspension", name, { values, startedAt, link, parent: this.#earlier }).end(startedAt + durationMs);
    this.#instruments.record("suspension", durationMs / 1_000, { toolName: name, decision, agentName: this.#agent });
  }

  countCost({ provider, model, cost_microcents }: CostFact): void {
    const values = {
      provider: providerName(provider),
      requestModel: modelName(model, provider),
      agentName: this.#agent,
    };
    if (cost_microcents > 0) this.#instruments.record("cost", cost_microcents / MICROCENTS, values);
  }

  endRun({ startedAt, durationMs, termination, errorType }: RunMetrics, errorText: string | undefined): void {
    this.#set(this.#span, { termination, errorType });
    // The text of a run's error may repeat what a person or a model said.
    const { captureContent, redact } = this.#options;
    const shown = errorText !== undefined && captureContent ? contentText(errorText, redact) : undefined;
    if (errorType !== undefined) this.#fail(this.#span, shown);
    this.#span.end(startedAt + durationMs);
    const values = { agentName: this.#agent, termination, errorType };
    this.#instruments.record("runDuration", durationMs / 1_000, values);
  }

  get #agent(): string {
    return this.#run.agentId;
  }

  #open(span: Span, work?: ModelWork): OpenSpan {
    const { context, trace } = this.#api;
    return {
      // Only asked for by calls that are suspended.
      get traceparent() {
        return formatTraceparent(span);
      },
      enter: (run) => context.with(trace.setSpan(context.active(), span), run),
      endInference: (ended, answer) => this.#endInference(span, ended, { work, answer }),
      endTool: (ended, result) => this.#endTool(span, ended, result),
      endOpen: (at, callId) => {
        this.#set(span, { toolCallId: callId, errorType: "interrupted" });
        this.#fail(span, "The call was not committed by this process.");
        span.end(at);
      },
    };
  }

  #endInference(
    span: Span,
    ended: InferenceSpan,
    { work, answer }: { readonly work: ModelWork | undefined; readonly answer: ModelAnswer | undefined },
  ): void {
    const { provider: id, errorType, startedAt, durationMs, stopReason, timeToFirstChunkMs, failedAttempts } = ended;
    const provider = id === undefined ? undefined : providerName(id);
    // A route may have fallen back to another provider.
    const asked = failedAttempts.find(({ model }) => model === ended.requestedModel)?.provider ?? id;
    const requestModel = modelName(ended.requestedModel, asked);
    const responseModel = answer === undefined ? undefined : modelName(ended.model, id);
    const firstChunk = timeToFirstChunkMs === undefined ? undefined : timeToFirstChunkMs / 1_000;
    const failedCost = failedAttempts.reduce((sum, { costMicrocents }) => sum + costMicrocents, 0);
    // Failed attempts have spans with their own cost where there are several attempts.
    const isAlone = failedAttempts.length + (answer === undefined ? 0 : 1) <= 1;
    const cost = ended.costMicrocents === undefined ? undefined : ended.costMicrocents - (isAlone ? 0 : failedCost);
    const { inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens, reasoningTokens } = ended;
    span.updateName(spanName("inference", requestModel));
    this.#set(span, {
      provider,
      requestModel,
      responseModel,
      firstChunk,
      inputTokens,
      outputTokens,
      cacheReadTokens,
      cacheCreationTokens,
      reasoningTokens,
      ...(stopReason !== undefined && { finishReasons: [FINISH_REASONS[stopReason]] }),
      ...(cost !== undefined && { cost: cost / MICROCENTS }),
      errorType,
      ...(work !== undefined && this.#content(work, answer)),
    });
    if (!isAlone) for (const attempt of failedAttempts) this.#addAttempt(span, ended, attempt);
    if (errorType !== undefined) this.#fail(span, `The model failed (${errorType}).`);
    span.end(startedAt + durationMs);
    const values = { operation: "chat", provider, requestModel, responseModel, agentName: this.#agent };
    this.#instruments.record("inferenceDuration", durationMs / 1_000, { ...values, errorType });
    if (firstChunk !== undefined) this.#instruments.record("firstChunk", firstChunk, values);
    if (inputTokens !== undefined) this.#instruments.record("tokens", inputTokens, { ...values, tokenType: "input" });
    if (outputTokens !== undefined)
      this.#instruments.record("tokens", outputTokens, { ...values, tokenType: "output" });
  }

  #content(work: ModelWork, answer: ModelAnswer | undefined): Values {
    const { captureContent, redact } = this.#options;
    if (!captureContent) return {};
    const { system, tools } = work.request;
    return {
      ...(system !== "" && { systemInstructions: contentText([{ type: "text", content: system }], redact) }),
      inputMessages: contentText(describeMessages(work), redact),
      ...(tools.length > 0 && { toolDefinitions: contentText(describeTools(tools), redact) }),
      ...(answer !== undefined && { outputMessages: contentText(describeAnswer(answer), redact) }),
    };
  }

  #addAttempt(turn: Span, { stepId, startedAt, durationMs: whole }: InferenceSpan, failed: FailedAttempt): void {
    const { attempt, provider, model, error, startedMs = 0, durationMs = whole - startedMs, costMicrocents } = failed;
    const requestModel = modelName(model, provider);
    const cost = costMicrocents === 0 ? undefined : costMicrocents / MICROCENTS;
    const errorType = error ?? "_OTHER";
    const values: Values = { stepId, attempt, provider: providerName(provider), requestModel, errorType, cost };
    const parent = this.#api.trace.setSpan(this.#api.ROOT_CONTEXT, turn);
    const span = this.#start("attempt", requestModel, { values, startedAt: startedAt + startedMs, parent });
    this.#fail(span, `Attempt ${attempt} failed (${errorType}).`);
    span.end(startedAt + startedMs + durationMs);
  }

  #endTool(span: Span, ended: ToolSpan, result: ToolResult): void {
    const { outcome, errorType, isExecuted, startedAt, durationMs, name, stepId } = ended;
    const { captureContent, redact } = this.#options;
    const content = captureContent && outcome !== "suspended" && { toolResult: contentText(result.data, redact) };
    this.#set(span, { stepId, toolOutcome: outcome, isExecuted, errorType, ...content });
    if (errorType !== undefined) this.#fail(span, `The tool failed (${errorType}).`);
    span.end(startedAt + durationMs);
    // Names that a model made up would make a series each.
    if (!isExecuted) return;
    const values = { toolName: name, agentName: this.#agent, toolOutcome: outcome, errorType };
    this.#instruments.record("toolDuration", durationMs / 1_000, values);
  }

  #start(key: SpanKey, subject: string, { values, startedAt, parent = this.#context, link }: StartSpan): Span {
    const { runId, threadId } = this.#run;
    const { kind, operation } = SPANS[key];
    const common: Values = { operation, agentName: this.#agent, conversation: threadId, runId };
    const linked = this.#remote(link);
    const links: readonly Link[] = linked === undefined ? [] : [{ context: linked }];
    const options: SpanOptions = {
      kind: this.#api.SpanKind[kind],
      // As the SDK rounds its own: a span that code inside begins must not seem to begin before this one.
      startTime: Math.floor(startedAt),
      attributes: this.#name({ ...common, ...values }),
      links: [...links],
    };
    return this.#tracer.startSpan(spanName(key, subject), options, parent);
  }

  #set(span: Span, values: Values): void {
    span.setAttributes(this.#name(values));
  }

  #fail(span: Span, message?: string): void {
    span.setStatus({ code: this.#api.SpanStatusCode.ERROR, ...(message !== undefined && { message }) });
  }

  /** The values that there are, by their names in the conventions. */
  #name(values: Values): Attributes {
    const names = ATTRIBUTE_NAMES[this.#options.conventions];
    const named: Attributes = {};
    for (const key in values) {
      // A key of `Values`, which the loop forgets.
      const attribute = key as AttributeKey;
      const [name, value] = [names[attribute], values[attribute]];
      if (name !== undefined && value !== undefined) named[name] = value;
    }
    return named;
  }

  /** A span of another process, or one that ended. */
  #remote(traceparent: string | undefined): SpanContext | undefined {
    if (!isTraceparent(traceparent)) return undefined;
    const [, traceId = "", spanId = "", flags = "0"] = traceparent.split("-");
    return { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
  }
}

interface OpenTelemetryRunParts {
  readonly run: ObservedRun;
  readonly state: Partial<TraceState>;
  readonly options: TraceOptions;
  readonly startedAt: number;
}

interface StartSpan {
  readonly values: Values;
  readonly startedAt: number;
  readonly parent?: Context;
  readonly link?: string | undefined;
}

/** Stop reasons in the words of the conventions. */
const FINISH_REASONS = {
  end_turn: "stop",
  max_tokens: "length",
  tool_use: "tool_calls",
  stop_sequence: "stop",
} as const;

/** Options of a request that are no structures: others are no attributes. */
function plain(options: { readonly [key: string]: Json | undefined }): Values {
  const fits = (value: Json | undefined): value is string | number | string[] =>
    typeof value === "number" || (Array.isArray(value) && value.every((each) => typeof each === "string"));
  return Object.fromEntries(Object.entries(options).filter(([, value]) => fits(value))) as Values;
}
