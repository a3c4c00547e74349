export type {
  AgentEvent,
  ContentPart,
  DecisionInput,
  ErrorCode,
  LanguageModel,
  Message,
  MessageInput,
  PhaseContext,
  Plugin,
  StopCondition,
  StopPolicy,
  Store,
  TokenUsage,
  Tool,
  ToolContext,
  ToolResult,
} from "@reprise/contracts";
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
  holdAnswer,
  includeOnlyTools,
  noteContext,
  operatorText,
  overrideInference,
  RepriseError,
  replaceText,
  retryInference,
  scheduleAction,
  setToolResult,
  suspendCall,
  suspendStep,
  suspendTool,
  ToolError,
  terminateRun,
  textOf,
  toolEffect,
  transformRequest,
  usd,
} from "@reprise/contracts";
export type { ScriptTurn } from "@reprise/models";
export { fromAiSdk, openaiCompatible, scriptedModel } from "@reprise/models";
export type {
  Agent,
  AgentDefinition,
  OpenDecision,
  RunHandle,
  RunOutcome,
  Runtime,
  StartRun,
  ToolDefinition,
} from "@reprise/runtime";
export { defineAgent, definePlugin, defineTool, hasToolCall, isStepCount } from "@reprise/runtime";
export type { Json, JsonObject, StateDefinition } from "@reprise/state";
export { defineState } from "@reprise/state";
export type { RuntimeOptions } from "./create-runtime.ts";
export { createRuntime } from "./create-runtime.ts";
export { file, memory, sqlite } from "./stores.ts";
