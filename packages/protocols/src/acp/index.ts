export type {
  AcpConfigOption,
  AcpContent,
  AcpLocation,
  AcpOptionKind,
  AcpPermissionOption,
  AcpPermissionOutcome,
  AcpResource,
  AcpStopReason,
  AcpToolCall,
  AcpToolContent,
  AcpToolKind,
  AcpToolStatus,
  AcpUpdate,
} from "./acp-types.ts";
export { ACP_TOOL_KINDS, ACP_VERSION } from "./acp-types.ts";
export type { AcpEncoder } from "./create-encoder.ts";
export { createAcpEncoder } from "./create-encoder.ts";
export { decodePrompt, titleOf } from "./decode-prompt.ts";
export type { AcpEncodingOptions } from "./encode-event.ts";
export { encodeAcpEvent } from "./encode-event.ts";
export type { AcpThread } from "./encode-history.ts";
export { encodeAcpHistory } from "./encode-history.ts";
export type { AcpQuestion, AskedCall } from "./encode-question.ts";
export { decodeForm, decodePermission, encodeQuestion } from "./encode-question.ts";
export type { AcpFrame, AcpState, Encoded, OpenCall } from "./encoder-state.ts";
export { INITIAL_ACP_STATE } from "./encoder-state.ts";
export type {
  AcpMcpServer,
  InitializeParams,
  ListSessionsParams,
  NamedSession,
  PromptParams,
  SessionFolders,
  SetConfigParams,
  SetModeParams,
} from "./request-shapes.ts";
export {
  INITIALIZE,
  LIST_SESSIONS,
  NAMED_SESSION,
  NEW_SESSION,
  OLD_SESSION,
  PERMISSION_ANSWER,
  PROMPT,
  readParams,
  SET_CONFIG,
  SET_MODE,
} from "./request-shapes.ts";
export type { RpcPeer, RpcPeerOptions, RpcRequest } from "./rpc-peer.ts";
export { createRpcPeer, RPC_ERRORS, RpcError, toRpcError } from "./rpc-peer.ts";
export type { LineSplitter } from "./split-lines.ts";
export { createLineSplitter, MAX_MESSAGE_LENGTH } from "./split-lines.ts";
export type { KindOf } from "./tool-call.ts";
