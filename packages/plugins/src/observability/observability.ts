import {
  type AfterInferenceContext,
  type AfterToolExecuteContext,
  changeState,
  type ObservedRun,
  type PhaseContext,
  type Plugin,
  type RunEndContext,
} from "@reprise/contracts";
import { flag, objectOf, oneOf, optional } from "@reprise/contracts/shape";
import { definePlugin } from "@reprise/runtime";
import { definePluginSettings } from "../settings/plugin-settings.ts";
import type { RedactContent } from "./captured-content.ts";
import { RunCollector } from "./collect-run.ts";
import { currentTraceparent, currentTracestate } from "./current-traceparent.ts";
import type { MetricsSink } from "./metrics-sink.ts";
import { CONVENTIONS, type Conventions } from "./names.ts";
import { loadOpenTelemetry, openTelemetry } from "./open-telemetry-api.ts";
import { Instruments } from "./open-telemetry-metrics.ts";
import { OpenTelemetryRun } from "./open-telemetry-run.ts";
import { type SuspendedCall, type TraceState, traceState } from "./trace-state.ts";

export interface ObservabilityOptions {
  /** Takes inferences, tool calls, suspensions, delegations and the sums of each activation. */
  readonly sink?: MetricsSink;
  /** Whether OpenTelemetry spans and metrics are made, through the SDK that the host registered. True unless a sink is given. */
  readonly openTelemetry?: boolean;
  /** Which names spans and metrics have. `latest` unless given. */
  readonly conventions?: Conventions;
  /**
   * Whether spans have prompts, answers, arguments, results and the texts of errors. False unless given: content is personal data.
   * Credentials are redacted in any case.
   */
  readonly captureContent?: boolean;
  /** Takes out of captured content what must not leave the process. Called with each piece of text, after credentials were redacted. */
  readonly redact?: RedactContent;
}

interface ObservabilitySettings {
  readonly conventions?: Conventions;
  readonly capture_content?: boolean;
}

const SETTINGS = objectOf<ObservabilitySettings>({
  conventions: optional(oneOf(...CONVENTIONS), "The version of the names of spans and metrics."),
  capture_content: optional(
    flag,
    "Whether spans have prompts, answers, arguments, results and texts of errors. False unless given.",
  ),
});

/** Measures and traces runs: a sink for the host's own metrics, and OpenTelemetry spans and metrics of the GenAI conventions. */
export function observability(options: ObservabilityOptions = {}): Plugin {
  return createObservability("observability", options);
}

/** The same under another id: configurations may call the plugin `llmmetry`. */
export function createObservability(id: string, options: ObservabilityOptions): Plugin {
  const { sink, redact = (text) => text, openTelemetry: isTraced = sink === undefined, ...rest } = options;
  const settings = definePluginSettings(id, SETTINGS, rest);
  const collectors = new Map<string, RunCollector>();
  const instruments = new Map<Conventions, Instruments>();

  const startTrace = (run: ObservedRun, state: TraceState, startedAt: number): OpenTelemetryRun | undefined => {
    const api = openTelemetry();
    if (!isTraced || api === undefined) return undefined;
    const { conventions = "latest", capture_content: captureContent = false } = settings.read(run);
    let made = instruments.get(conventions);
    if (made === undefined) {
      made = new Instruments(() => api.metrics.getMeter("reprise"), conventions);
      instruments.set(conventions, made);
    }
    return new OpenTelemetryRun(api, made, { run, state, options: { conventions, captureContent, redact }, startedAt });
  };

  /** The span of the activation, once, for the process that continues the run. */
  const noteSpan = async (context: PhaseContext) => {
    const span = await context.record("span", () => collectors.get(keyOf(context))?.traceparent ?? null);
    const isNoted = span === null || context.state.get(traceState).last === span;
    return isNoted ? undefined : [changeState(traceState.begin(span))];
  };

  /** The span of a call that waits, for the process that continues it. */
  const noteSuspension = async (context: AfterToolExecuteContext) => {
    const { callId, toolId: name } = context.call;
    const action = context.result.suspension?.suspension.action;
    const findSpan = () => collectors.get(keyOf(context))?.spanOf(callId, name) ?? null;
    const traceparent = isTraced ? await context.record("span", findSpan) : null;
    const call: SuspendedCall = {
      name,
      at: context.now,
      ...(action !== undefined && { action }),
      ...(traceparent !== null && { traceparent }),
    };
    return [changeState(traceState.suspend({ callId, call }))];
  };

  return definePlugin({
    id,
    sections: settings.sections,
    states: [traceState],
    ...(isTraced && {
      traceparent: currentTraceparent,
      tracestate: currentTracestate,
      onActivate: () => (openTelemetry() === undefined ? loadOpenTelemetry() : undefined),
    }),
    observe(run) {
      const now = startClock();
      const startedAt = now();
      const state = run.activation === "start" ? traceState.initial() : run.state.get(traceState);
      const trace = startTrace(run, state, startedAt);
      const collector = new RunCollector({ run, sink, trace, now, suspended: state.suspended });
      const key = keyOf(run);
      collectors.set(key, collector);
      return {
        model: (work) => collector.model(work),
        tool: (work) => collector.tool(work),
        event: (event) => collector.event(event),
        close: () => {
          if (collectors.get(key) === collector) collectors.delete(key);
          return collector.close();
        },
      };
    },
    hooks: {
      ...(isTraced && {
        // Before the first commit that another process could continue from: a run without tools has only its last one.
        afterInference: (context: AfterInferenceContext) => (context.calls.length > 0 ? noteSpan(context) : undefined),
        runEnd: (context: RunEndContext) => (context.termination.type === "suspended" ? noteSpan(context) : undefined),
      }),
      afterToolExecute: (context) => (context.outcome === "suspended" ? noteSuspension(context) : undefined),
    },
  });
}

function keyOf({ tenant, runId }: Pick<ObservedRun, "tenant" | "runId">): string {
  return JSON.stringify([tenant, runId]);
}

/** Milliseconds since 1970, finer than `Date.now()`; never goes back while a run is watched. */
function startClock(): () => number {
  // The wall clock may have been set since the process began.
  const drift = Date.now() - (performance.timeOrigin + performance.now());
  const origin = performance.timeOrigin + (Math.abs(drift) > 1 ? drift : 0);
  return () => origin + performance.now();
}
