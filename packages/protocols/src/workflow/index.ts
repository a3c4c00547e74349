export type { WorkflowEncoder } from "./create-encoder.ts";
export { createWorkflowEncoder } from "./create-encoder.ts";
export { encodeWorkflowEvent } from "./encode-event.ts";
export { encodeSessionEvent } from "./encode-session-event.ts";
export type { WorkflowEncoded, WorkflowEncoderState, WorkflowPhase } from "./encoder-state.ts";
export { INITIAL_WORKFLOW_STATE } from "./encoder-state.ts";
export type { WorkflowEvent, WorkflowEventType, WorkflowField, WorkflowShape } from "./workflow-event.ts";
export {
  WORKFLOW_EVENT_TYPES,
  WORKFLOW_EVENTS,
  WORKFLOW_TERMINALS,
  workflowEventSchema,
} from "./workflow-event.ts";
