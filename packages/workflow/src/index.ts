export { DEFAULT_AGENT_LIMITS } from "./agent/agent-request.ts";
export type {
  AgentLimits,
  AgentRunnerDeps,
  MediaSurface,
  NodeBlobs,
  NodeToolCall,
  PreEgress,
  PreEgressHook,
  ResolverCapabilities,
  ResolveTemplate,
  ToolContextOf,
  ToolRegistry,
} from "./agent/agent-runner-deps.ts";
export { createAgentNodeExecutor } from "./agent/create-agent-node-executor.ts";
export { pollMediaJob } from "./agent/generate-media.ts";
export type { ToolReach } from "./agent/tool-reach.ts";
export { toolReach } from "./agent/tool-reach.ts";
export type { ToolRegistryOptions } from "./agent/tool-registry.ts";
export { createToolRegistry } from "./agent/tool-registry.ts";
export type { InputProblem, MaskedSecret, RunInputs } from "./document/read-inputs.ts";
export { readInputs } from "./document/read-inputs.ts";
export type { ParsedWorkflow, ReadWorkflowOptions } from "./document/read-workflow.ts";
export { checkWorkflowDocument, parseWorkflow, readWorkflow, readWorkflowAgent } from "./document/read-workflow.ts";
export type { Revealing } from "./document/reveal-secrets.ts";
export { revealSecrets } from "./document/reveal-secrets.ts";
export type {
  NodeErrorCode,
  Workflow,
  WorkflowAgent,
  WorkflowDocument,
  WorkflowNode,
} from "./document/workflow-document.ts";
export { NODE_ERROR_CODES } from "./document/workflow-document.ts";
export type { WorkflowProblem, WorkflowProblemKind } from "./document/workflow-problem.ts";
export { formatProblem } from "./document/workflow-problem.ts";
export { workflowSchema } from "./document/workflow-shape.ts";
export type { Evaluated, ExpressionSandbox } from "./expression/expression-sandbox.ts";
export type {
  MediaJob,
  NodeEvent,
  NodeExecContext,
  NodeExecutor,
  NodeFailure,
  NodeOutcome,
  NodeScope,
} from "./node/node-executor.ts";
export type { CheckedWorkflow, CheckWorkflowOptions } from "./plan/check-workflow.ts";
export { checkWorkflow } from "./plan/check-workflow.ts";
export { compilePlan, hashWorkflow } from "./plan/compile-plan.ts";
export { drawPlan } from "./plan/draw-plan.ts";
export type { BodyPlan, PlanDependency, PlanVertex, RunPlan } from "./plan/run-plan.ts";
export { defineWorkflow, isWorkflowProgram } from "./run/define-workflow.ts";
export { keepNodes } from "./run/keep-nodes.ts";
export type { NodeRecord, WorkflowState } from "./run/workflow-state.ts";
export type { WorkflowsOptions } from "./run/workflows.ts";
export { workflows } from "./run/workflows.ts";
export type {
  AgentSession,
  AgentSessionOptions,
  ApprovalMode,
  SessionDeps,
  SessionTurn,
} from "./session/create-agent-session.ts";
export { createAgentSession } from "./session/create-agent-session.ts";
export type { AgentSessionState } from "./session/session-state.ts";
export { readSessionState } from "./session/session-state.ts";
export type { FileScope } from "./template/read-path.ts";
export { findReadProblem } from "./template/read-path.ts";
export type { Resolved, TemplateCapabilities, TemplateFailure } from "./template/resolve-template.ts";
export { renderTemplate, resolveTemplates } from "./template/resolve-template.ts";
export type { TemplateScope } from "./template/template.ts";
