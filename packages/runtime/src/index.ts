export type { AgentInfo, RouteStop } from "./api/agent-info.ts";
export type { AgentPart } from "./api/agent-parts.ts";
export type { Budgets } from "./api/budgets.ts";
export type { CallTool } from "./api/call-tool.ts";
export type { Costs } from "./api/costs.ts";
export { createRuntime } from "./api/create-runtime.ts";
export type { DecideOptions, DecisionQuery, Decisions } from "./api/decisions.ts";
export type { AgentExtension, AgentVariant } from "./api/extend-agent.ts";
export type { Mailbox } from "./api/mailbox.ts";
export type { OpenDecision } from "./api/open-decision.ts";
export type { PreparedRun } from "./api/prepare-run.ts";
export type { CallPreview, PreviewCall } from "./api/preview-call.ts";
export type { Rerun, RerunChanges } from "./api/rerun-from.ts";
export type { EventsOptions, RunHandle } from "./api/run-handle.ts";
export type { RunOutcome } from "./api/run-outcome.ts";
export type { Runtime, RuntimeOptions, SubmitOptions, TenantRuntime } from "./api/runtime.ts";
export type { StartRun } from "./api/start-run.ts";
export type { ForkOptions, Threads } from "./api/threads.ts";
export type { InventoryEntry } from "./api/tool-inventory.ts";
export type { BeforeModelAttempt, ModelAttemptInfo } from "./budget/run-gate.ts";
export { worstCaseOf } from "./budget/worst-case.ts";
export type {
  ComposedDefinition,
  ParallelDefinition,
  Part,
  RefineDefinition,
  SequenceDefinition,
} from "./define/compose-agents.ts";
export { parallel, refine, sequence } from "./define/compose-agents.ts";
export type { Agent, AgentDefinition, AnswerOf, StopFunction, StopWhen } from "./define/define-agent.ts";
export { defineAgent, hasToolCall, isStepCount } from "./define/define-agent.ts";
export type { PluginDefinition, PluginHooks } from "./define/define-plugin.ts";
export { definePlugin } from "./define/define-plugin.ts";
export type { ToolDefinition } from "./define/define-tool.ts";
export { defineTool } from "./define/define-tool.ts";
export { compileSchema } from "./define/json-schema.ts";
export type { EventIterator } from "./journal/event-stream.ts";
export { readOutput } from "./loop/structured-output.ts";
export type { Blobs } from "./media/blobs.ts";
export { alterRecording, cutRecording } from "./replay/alter-recording.ts";
export type { Difference, Divergence, DivergentPart } from "./replay/compare-commits.ts";
export type { RunComparison, RunPart } from "./replay/compare-runs.ts";
export type { ModelCall } from "./replay/read-model-calls.ts";
export { readRecording } from "./replay/read-recording.ts";
export type {
  RunScript,
  ScriptedAnswer,
} from "./replay/read-script.ts";
export { readScript } from "./replay/read-script.ts";
export type { RunRecording } from "./replay/recording.ts";
export { RECORDING_FORMAT } from "./replay/recording.ts";
export type { ReplayExportOptions } from "./replay/replay-export.ts";
export { replayExport } from "./replay/replay-export.ts";
export type { ReplayMode, ReplayResult } from "./replay/replay-recording.ts";
export type { VersionDifference } from "./replay/thread-versions.ts";
export type { Definitions } from "./resolve/build-registries.ts";
export { buildRegistries } from "./resolve/build-registries.ts";
export { createCatalogueFilter } from "./resolve/catalogue-filter.ts";
export { sayProviders } from "./resolve/look-up-model.ts";
export type { BuildProblem } from "./resolve/registration.ts";
export type { Registry } from "./resolve/registry.ts";
export type { RegistryBuilder } from "./resolve/registry-builder.ts";
export { createRegistryBuilder } from "./resolve/registry-builder.ts";
export type {
  AgentEntry,
  ContextPluginFactory,
  GivenModel,
  OwnParts,
  RegisteredModel,
  RegistrySet,
} from "./resolve/registry-set.ts";
export type { RemoteAgentSource } from "./resolve/remote-agents.ts";
export type { ResolveWarning } from "./resolve/resolved-agent.ts";
export { findSectionProblem } from "./resolve/section-problem.ts";
export type { Limits, PoolSizes } from "./run/limits.ts";
export { DEFAULT_LIMITS } from "./run/limits.ts";
export type { AskedInference, RecordedExecution, RecordedWorld } from "./run/recorded-world.ts";
export { compileGlob } from "./spec/glob.ts";
export { agentSpecSchema, agentSpecShape, readAgentSpec } from "./spec/read-agent-spec.ts";
export { isModelPool, modelPoolShape, readModelPool } from "./spec/read-model-pool.ts";
export { modelSpecShape, readModelSpec } from "./spec/read-model-spec.ts";
export { stopPolicyOf } from "./stop/stop-policy-of.ts";
export { isAllowed } from "./tools/offered-tools.ts";
export type { OnToolError, ToolErrorReport } from "./tools/report-tool-error.ts";
export type { DispatchedCall } from "./turn/dispatch-tool.ts";
export { CapabilityMissing, dispatchTool } from "./turn/dispatch-tool.ts";
export type { ChainEgress, ChainEntry } from "./turn/model-chain.ts";
export { ModelChain } from "./turn/model-chain.ts";
export type {
  LoopCall,
  ToolLoopEvent,
  ToolLoopFailure,
  ToolLoopLimits,
  ToolLoopResult,
} from "./turn/run-tool-loop.ts";
export { DEFAULT_TOOL_LOOP_LIMITS, runToolLoop } from "./turn/run-tool-loop.ts";
