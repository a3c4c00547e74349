export type {
  AgentSpec,
  AgentSummary,
  ContextOptions,
  ContextPolicy,
  ContextWindow,
  FallbackEntry,
  FallbackModel,
  PartialSuspension,
  RemoteEndpoint,
  RetryOptions,
  RetryPolicy,
  ToolConcurrency,
} from "./agent/agent-spec.ts";
export type { ComposedPart, ComposedStep, Composition } from "./agent/composition.ts";
export { partsOf, stepOf } from "./agent/composition.ts";
export type { ProgramSpec } from "./agent/program-spec.ts";
export type {
  StopCondition,
  StopConditionSpec,
  StopConditionType,
  StopPolicy,
  StopPolicyInput,
} from "./agent/stop-condition.ts";
export type {
  BackendDecision,
  BackendEvent,
  BackendNotes,
  BackendOutcome,
  BackendQuestion,
  BackendRun,
  EndedBackendRun,
  ExecutionBackend,
} from "./backend/execution-backend.ts";
export type {
  Allotment,
  Amount,
  Budget,
  BudgetNotice,
  BudgetOptions,
  BudgetPolicy,
  OnExceeded,
  Reservation,
  RunLimits,
  RunLimitsPolicy,
} from "./budget/budget.ts";
export { budgetShape, runLimitsShape, usd } from "./budget/budget.ts";
export type { Decision, DecisionInput, DecisionVerb, Remember, RememberInput } from "./decision/decision.ts";
export { DECISION_INPUT, derivedDecisionId, findRememberProblem, readRemember } from "./decision/decision.ts";
export { isSameDecision } from "./decision/same-decision.ts";
export type {
  PendingCall,
  ResumeMode,
  SuspendOptions,
  SuspendRequest,
  SuspendTicket,
  Suspension,
} from "./decision/suspend-ticket.ts";
export { awaitsRun, continuesByItself } from "./decision/suspend-ticket.ts";
export { isOwnQuestion, type ToolCallRecord } from "./decision/tool-call-record.ts";
export { isApproval, translateDecision } from "./decision/translate-decision.ts";
export type {
  DocumentListOptions,
  DocumentPage,
  DocumentQuery,
  Documents,
  KeptDocuments,
  NewDocument,
  SavedDocument,
  StoredDocument,
} from "./document/documents.ts";
export {
  assertDocumentName,
  assertRevision,
  compareIds,
  documentText,
  keptKind,
  MAX_DOCUMENT_BYTES,
  pruneDocuments,
} from "./document/documents.ts";
export type { Download, DownloadOptions, Egress, EgressRequest, EgressResponse } from "./env/egress.ts";
export type { Clock, Env, Ids, Log, LogLevel, Watchdog, Work } from "./env/env.ts";
export type { ErrorCode, ErrorEntry } from "./errors/catalogue.ts";
export { ERRORS } from "./errors/catalogue.ts";
export { describeThrown } from "./errors/describe-thrown.ts";
export type { ModelErrorKind, ModelErrorOptions } from "./errors/model-error.ts";
export { ModelError, modelErrorCode } from "./errors/model-error.ts";
export type { RepriseErrorOptions } from "./errors/reprise-error.ts";
export {
  decisionConflict,
  illegalTransition,
  invalidRequest,
  notFound,
  RepriseError,
  runNotActive,
  staleEpoch,
  toRepriseError,
  versionConflict,
  versionGone,
} from "./errors/reprise-error.ts";
export type { ContextOmission, ContextRef } from "./event/context-ref.ts";
export { CONTEXT_REF_KINDS } from "./event/context-ref.ts";
export type { AgentEvent, EventCursor, EventLineage, EventOf, OpaqueEvent } from "./event/event.ts";
export { formatCursor, parseCursor } from "./event/event.ts";
export { decodeEvent, encodeEvent, findDataProblem, isOpaque } from "./event/event-codec.ts";
export type {
  BudgetFact,
  CatalogEntry,
  CatalogFact,
  ChildProgressFact,
  ChildRunFact,
  CompactionFact,
  CompactionFailure,
  ContextFact,
  CostFact,
  EventData,
  EventType,
  GuardrailFact,
  HookFact,
  JsonPatchData,
  NodeErrorFact,
  NodeWaitFact,
  PermissionFact,
  PluginEvent,
  PluginEventType,
  RoutedAttempt,
  RouteFact,
  SuspensionNotice,
} from "./event/event-data.ts";
export { PLUGIN_EVENTS } from "./event/event-data.ts";
export { eventSchema } from "./event/event-schema.ts";
export type { FieldShape } from "./event/event-shapes.ts";
export { EVENT_TYPES, isJournaled } from "./event/event-shapes.ts";
export type { LiveEvent, LiveKey, LiveRelay } from "./event/live-relay.ts";
export { assertBounded, MAX_METADATA_BYTES } from "./json/bounded-json.ts";
export { canonicalJson } from "./json/canonical-json.ts";
export type { RunStatus, RunTrigger } from "./lifecycle/run-lifecycle.ts";
export { advanceRun, RUN_TRANSITIONS } from "./lifecycle/run-lifecycle.ts";
export type { ToolCallStatus, ToolCallTrigger } from "./lifecycle/tool-call-lifecycle.ts";
export { advanceToolCall, TOOL_CALL_TRANSITIONS, triggerTo } from "./lifecycle/tool-call-lifecycle.ts";
export type { TransitionTable } from "./lifecycle/transition-table.ts";
export { drawTable, isTerminal, nextStatus } from "./lifecycle/transition-table.ts";
export type { DataUrl } from "./message/data-url.ts";
export { parseDataUrl } from "./message/data-url.ts";
export type {
  ContentPart,
  FilePart,
  Message,
  MessageInput,
  MessageMetadata,
  MessageRole,
  ReasoningPart,
  TextPart,
  ToolCallRequest,
} from "./message/message.ts";
export { MESSAGE_INPUT, textOf } from "./message/message.ts";
export type { Cost } from "./model/cost.ts";
export { costOf } from "./model/cost.ts";
export type {
  GeneratedMedia,
  MediaJobStatus,
  MediaModality,
  MediaModel,
  MediaRequest,
  MediaTicket,
} from "./model/media.ts";
export { blobRefOf, mediaCostOf, mediaHandle } from "./model/media.ts";
export type {
  CacheBreakpoint,
  CountTokens,
  LanguageModel,
  LoadedFile,
  ModelChunk,
  ModelRequest,
  OutputSchema,
  ResponseMetadata,
  StopReason,
  TokenCounter,
  TokenUsage,
} from "./model/model.ts";
export type { ModelProvider } from "./model/model-provider.ts";
export type { Modality, ModelDefinition, ModelPool, ModelPrices, ModelPricing, ModelSpec } from "./model/model-spec.ts";
export { believableUsage } from "./model/usage.ts";
export type { SessionContextOptions } from "./plugin/actions.ts";
export {
  addSessionContext,
  addSystemContext,
  addSystemReminder,
  addUserMessage,
  blockCall,
  changeState,
  emitEffect,
  emitEvent,
  excludeTool,
  handOff,
  holdAnswer,
  includeOnlyTools,
  noteContext,
  overrideInference,
  replaceText,
  retryInference,
  scheduleAction,
  setToolResult,
  suspendCall,
  suspendStep,
  terminateRun,
  transformRequest,
} from "./plugin/actions.ts";
export type {
  ModelAnswer,
  ModelWork,
  Observe,
  ObservedRun,
  RunObserver,
  ToolWork,
  WorkEnding,
  WorkObserver,
} from "./plugin/observer.ts";
export type { OperatorText } from "./plugin/operator-text.ts";
export { operatorText } from "./plugin/operator-text.ts";
export type { Phase } from "./plugin/phase.ts";
export { PHASES } from "./plugin/phase.ts";
export type {
  ActionOf,
  ActionsByPhase,
  ActionType,
  InferenceOptions,
  InferenceOverride,
  PhaseAction,
  PhaseActions,
  RequestTransform,
  SuspendStepOptions,
} from "./plugin/phase-action.ts";
export { PHASE_ACTIONS } from "./plugin/phase-action.ts";
export type {
  AfterInferenceContext,
  AfterToolExecuteContext,
  AfterToolOutcome,
  BeforeInferenceContext,
  BeforeToolExecuteContext,
  CallView,
  PhaseContext,
  PhaseContexts,
  PhaseState,
  RunEndContext,
  RunStartContext,
} from "./plugin/phase-context.ts";
export type {
  EffectContext,
  EffectHandler,
  HookActions,
  InheritanceContext,
  PhaseHook,
  PhaseHooks,
  Plugin,
  PluginPart,
  ScheduledHandler,
  ToolSource,
  ToolSourceContext,
  ToolSourceView,
  ToolWrapperView,
} from "./plugin/plugin.ts";
export type { PluginAnswer, PluginInference } from "./plugin/plugin-inference.ts";
export type {
  EffectAction,
  ExecuteLaterOptions,
  MarkedEffect,
  MarkedResult,
  MarkedSuspension,
  ToolEffect,
} from "./plugin/tool-effect.ts";
export {
  awaitRun,
  EFFECT_ACTIONS,
  executeLater,
  isToolEffect,
  isToolResult,
  isToolSuspension,
  suspendTool,
  toolEffect,
  toolResult,
} from "./plugin/tool-effect.ts";
export type { ToolOutput } from "./plugin/tool-output.ts";
export type {
  ChildEnd,
  OpenWait,
  ProgramChild,
  ProgramEnd,
  ProgramEvent,
  ProgramEventType,
  ProgramIdentity,
  ProgramNews,
  ProgramPort,
  ProgramQuestion,
  ProgramWork,
  RunProgram,
  StartedChild,
  WorkContext,
  WorkGate,
} from "./program/run-program.ts";
export type { ChatOptions, PromptCache, ReasoningEffort, SharedChatOptions } from "./run/chat-options.ts";
export { chatOptionsShape } from "./run/chat-options.ts";
export type { FrontendContext, FrontendTool } from "./run/frontend.ts";
export {
  RUN_OVERRIDES,
  type RunOverrideOptions,
  type RunOverrides,
  type ToolExecutionMode,
} from "./run/run-overrides.ts";
export type { HandCall, RunPolicy, RunPolicyOptions } from "./run/run-policy.ts";
export type {
  ModelWait,
  ModelWaitReason,
  PendingHandoff,
  RunOrigin,
  RunRecord,
  Spending,
  TreeMember,
} from "./run/run-record.ts";
export { activeAgentOf, agentPathOf, RUN_ORIGINS, resumesByItself } from "./run/run-record.ts";
export type { BusyPolicy, InheritedState, RestorePoint, RunRequest } from "./run/run-request.ts";
export { RUN_REQUEST } from "./run/run-request.ts";
export type { StoppedReason, Termination } from "./run/termination.ts";
export { terminationCode } from "./run/termination.ts";
export type { TraceContext } from "./run/trace-context.ts";
export { isTraceparent, readTraceContext } from "./run/trace-context.ts";
export type { Redact } from "./secret/redact.ts";
export { createRedactor } from "./secret/redact.ts";
export { redactCredentials, replaceCredentials } from "./secret/redact-credentials.ts";
export { Secret, toSecret } from "./secret/secret.ts";
export type {
  SessionEvent,
  SessionEventData,
  SessionEventType,
  SessionStopReason,
} from "./session/session-event.ts";
export { BLOB_PIECE_BYTES, cutPieces, cutRange, loadWhole, toBlobPieces } from "./store/blob-pieces.ts";
export type {
  BlobContent,
  BlobInfo,
  BlobLinkOptions,
  BlobRange,
  BlobReading,
  BlobStore,
  LoadedBlob,
  PutBlobOptions,
} from "./store/blob-store.ts";
export { BLOB_GRACE_MS } from "./store/blob-store.ts";
export type {
  Changeset,
  CheckpointReason,
  CommitGuard,
  Committed,
  DecisionKey,
  Effect,
  EffectText,
  LoggedAction,
  MailboxEffect,
  StoredChangeset,
} from "./store/changeset.ts";
export { CHANGESET_FORMAT, emptyChangeset } from "./store/changeset.ts";
export { type ChangesetTexts, writeChangeset } from "./store/changeset-texts.ts";
export type {
  Claim,
  ClaimingSubmission,
  ClaimRequest,
  Inbox,
  Lease,
  ReleaseProblem,
  StoreSignal,
  Submitted,
  WorkRequest,
} from "./store/claim.ts";
export { claimedRun } from "./store/claim.ts";
export { chainDigest, contentDigest, FIRST_DIGEST } from "./store/digest.ts";
export { type EventFrame, readEvents, writeEvents } from "./store/event-texts.ts";
export type { EntryKind, EntryStatus, MailboxEntry, NewEntry } from "./store/mailbox.ts";
export {
  MAX_ATTEMPTS,
  MAX_COUNTED_THREADS,
  MAX_LOST_CLAIMS,
  MAX_RECOVERIES,
  UNUSED_WAKE_PAUSE_MS,
} from "./store/mailbox.ts";
export { textsOf } from "./store/message-texts.ts";
export type { PrunedStore, TenantThread, ThreadKey, ThreadPruning } from "./store/prune-threads.ts";
export { pruneThreads } from "./store/prune-threads.ts";
export type {
  CallFilter,
  CallQuery,
  EntryFilter,
  EntryQuery,
  MessageFilter,
  MessagePage,
  MessageQuery,
  OffsetQuery,
  Page,
  RunFilter,
  RunQuery,
  ThreadFilter,
  ThreadQuery,
} from "./store/queries.ts";
export { clampLimit, DEFAULT_LIMIT, MAX_LIMIT } from "./store/queries.ts";
export type { Pruned, PrunedThreads, Retention } from "./store/retention.ts";
export type {
  Admission,
  Durability,
  EventSegment,
  Interrupted,
  MessageTail,
  RunReader,
  Store,
  StoreOperator,
  TenantStore,
  ThreadHead,
  ThreadReader,
  ThreadWriter,
  VersionPatches,
} from "./store/store.ts";
export type { Abilities, AgentAbility, Presence, Worker, WorkerEntry } from "./store/worker.ts";
export { assertId } from "./thread/assert-id.ts";
export type { Thread } from "./thread/thread.ts";
export type {
  ChildRun,
  ChildRuns,
  ChildStatus,
  NewBackgroundCall,
  NewChildRun,
  NewMessage,
  SentMessage,
} from "./tool/child-runs.ts";
export type {
  CheckedInput,
  Tool,
  ToolContext,
  ToolIdentity,
  ToolProgress,
  ToolState,
} from "./tool/tool.ts";
export type { InterruptBehavior, ToolClass, ToolDescriptor } from "./tool/tool-descriptor.ts";
export type { ToolErrorKind } from "./tool/tool-error.ts";
export { TOOL_ERROR_KINDS, ToolError } from "./tool/tool-error.ts";
export type { ToolOwner } from "./tool/tool-owner.ts";
export { ownerOf, TOOL_OWNERS } from "./tool/tool-owner.ts";
export type { ToolCallOutcome, ToolErrorCode, ToolResult, ToolResultStatus } from "./tool/tool-result.ts";
export { outcomeOf, toolFailure, toolPending, toolSuccess } from "./tool/tool-result.ts";
