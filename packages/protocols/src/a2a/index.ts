export type { A2aErrorName, A2aFailure } from "./a2a-error.ts";
export { A2A_ERRORS, A2aError, encodeRestError, encodeRpcError } from "./a2a-error.ts";
export type { CardAgent, CardListing, CardOptions } from "./agent-card.ts";
export { agentUrl, encodeAgentCard, encodeGatewayCard } from "./agent-card.ts";
export type { A2aEncoder, A2aEncoderOptions } from "./create-encoder.ts";
export { createA2aEncoder } from "./create-encoder.ts";
export type { A2aPushConfig, A2aSend, A2aSendConfiguration, AskedQuestion } from "./decode-send.ts";
export { decodeAnswers, decodeMessage, decodeSend, PUSH_CONFIG, readParams } from "./decode-send.ts";
export type { A2aEncodingOptions, A2aState } from "./encode-event.ts";
export { encodeA2aEvent, INITIAL_A2A_STATE } from "./encode-event.ts";
export type { FileUrl } from "./encode-parts.ts";
export type { OpenQuestion } from "./encode-question.ts";
export { asksClient, nameQuestions } from "./encode-question.ts";
export type { EncodeTaskOptions, TaskSource } from "./encode-task.ts";
export { bareTask, encodeTask, messageOfTask } from "./encode-task.ts";
export type { A2aCall, A2aMethod } from "./json-rpc.ts";
export { A2A_METHODS, callIdOf, decodeCall, encodeRpcResult } from "./json-rpc.ts";
export type { PlainTask } from "./plain-task.ts";
export { encodePlainTask } from "./plain-task.ts";
export { CANCELED_CODES, COMPLETED_CODES, REJECTED_CODE, stateOfRun } from "./task-state.ts";
export type {
  A2aArtifact,
  A2aMessage,
  A2aPart,
  A2aStreamItem,
  A2aTask,
  A2aTaskState,
  A2aTaskStatus,
} from "./wire.ts";
export { A2A_TASK_STATES, A2A_VERSION, isTerminalState } from "./wire.ts";
