import type { AgentEvent } from "@reprise/contracts";
import { encodeSseFrame } from "../sse/sse-frame.ts";
import { encodeWorkflowEvent } from "./encode-event.ts";
import { INITIAL_WORKFLOW_STATE, type WorkflowEncoderState } from "./encoder-state.ts";
import type { WorkflowEvent } from "./workflow-event.ts";

/** Writes the events of one workflow run as a response. */
export interface WorkflowEncoder {
  /** The frames of an event, joined; empty when it gives none. The cursor is the id of the last one. */
  encode(event: AgentEvent, cursor?: string): string;
  /** Takes an event in that the client already has. */
  skip(event: AgentEvent): void;
  /** Nothing: the terminal event of a run says that it is over. */
  end(): string;
  readonly state: WorkflowEncoderState;
}

export function createWorkflowEncoder(state: WorkflowEncoderState = INITIAL_WORKFLOW_STATE): WorkflowEncoder {
  let current = state;
  return {
    encode(event, cursor) {
      const [next, events] = encodeWorkflowEvent(current, event);
      current = next;
      return frames(events, cursor);
    },
    skip(event) {
      [current] = encodeWorkflowEvent(current, event);
    },
    end: () => "",
    get state() {
      return current;
    },
  };
}

/** Only the last frame of an event has its cursor: a client that comes back in between gets all of them again. */
function frames(events: readonly WorkflowEvent[], cursor?: string): string {
  const last = events.length - 1;
  return events
    .map((event, index) => encodeSseFrame(JSON.stringify(event), index === last ? cursor : undefined))
    .join("");
}
