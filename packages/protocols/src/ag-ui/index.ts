export type { FileUrl } from "../chat/file-url.ts";
export { selectOpenDecisions } from "../chat/select-open-decisions.ts";
export type {
  AgUiEvent,
  AgUiInterrupt,
  AgUiOutcome,
  AgUiUsage,
  AgUiVersion,
} from "./ag-ui-event.ts";
export { agUiVersionOf } from "./ag-ui-event.ts";
export type { AgUiMessage, AgUiPart, AgUiToolCall } from "./ag-ui-message.ts";
export type { CapableAgent } from "./capabilities.ts";
export { encodeAgUiCapabilities } from "./capabilities.ts";
export type { AgUiEncoder, AgUiEncoderOptions, AgUiOpening, RestingThread } from "./create-encoder.ts";
export { AG_UI_HEADERS, createAgUiEncoder, encodeAgUiThread } from "./create-encoder.ts";
export type { AgUiRequest } from "./decode-run-input.ts";
export { decodeAgUiRequest } from "./decode-run-input.ts";
export type { AgUiClient } from "./encode-event.ts";
export { encodeAgUiEvent } from "./encode-event.ts";
export { encodeAgUiHistory } from "./encode-history.ts";
export type { AgUiEncoded, AgUiPhase, AgUiState, OpenCall } from "./encoder-state.ts";
export { INITIAL_AG_UI_STATE } from "./encoder-state.ts";
