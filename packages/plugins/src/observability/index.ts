export type { RedactContent } from "./captured-content.ts";
export { currentTraceparent, currentTracestate } from "./current-traceparent.ts";
export type {
  DelegationSpan,
  FailedAttempt,
  HandoffSpan,
  InferenceSpan,
  MetricsSink,
  ModelStats,
  RunMetrics,
  SuspensionSpan,
  ToolSpan,
  WorkStats,
} from "./metrics-sink.ts";
export type { Conventions } from "./names.ts";
export type { ObservabilityOptions } from "./observability.ts";
export { observability } from "./observability.ts";
