export type { TreeQuestion as OpenQuestion } from "../chat/tree-questions.ts";
export { findArgumentMismatch } from "./argument-headers.ts";
export { type EndedRun, encodeCallResult, type McpTarget } from "./call-result.ts";
export {
  createMcpEncoder,
  decodeQuestionId,
  encodeQuestionRequests,
  encodeRequestState,
  isRequestState,
  type McpCall,
  type McpEncoder,
  runOfRequestState,
} from "./create-encoder.ts";
export {
  decodeMcpMessage,
  type McpAbilities,
  type McpEra,
  type McpHeaders,
  type McpMessage,
  MODERN_VERSION,
  readAbilities,
  SESSION_VERSIONS,
  TASKS_EXTENSION,
} from "./decode-message.ts";
export { describeMcpTool, type McpTool } from "./describe-tools.ts";
export { isObject, RPC_CODES, type RpcError, type RpcId, type RpcMessage, rpcError, rpcResult } from "./json-rpc.ts";
export { decodeAnswer, encodeQuestion } from "./questions.ts";
export { advanceMcpRun, INITIAL_MCP_STATE, type McpRunState } from "./run-state.ts";
export { encodeDetailedTask, encodeTask, encodeTaskResult, type TaskRun, taskStatus } from "./task.ts";
