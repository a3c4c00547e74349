export type {
  Conventions,
  DelegationSpan,
  FailedAttempt,
  HandoffSpan,
  InferenceSpan,
  MetricsSink,
  ModelStats,
  ObservabilityOptions,
  RedactContent,
  RunMetrics,
  SuspensionSpan,
  ToolSpan,
  WorkStats,
} from "@reprise/plugins/observability";
export { currentTraceparent, currentTracestate, observability } from "@reprise/plugins/observability";
