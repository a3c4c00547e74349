import type { EventData, NodeErrorFact } from "../event/event-data.ts";

type OfTurn = "node_delta" | "node_reasoning_delta" | "node_tool_call" | "node_tool_result" | "node_cost";

/** Every event of a session with its data. What a turn shows is as in a workflow run; `node_id` is the id of the agent. */
export interface SessionEventData extends Pick<EventData, OfTurn> {
  session_start: { readonly agent_id: string; readonly model: string };
  turn_start: { readonly turn: number };
  /** A tool call waits until the host approves or denies it. */
  approval_request: {
    readonly node_id: string;
    readonly id: string;
    readonly tool_id: string;
    readonly preview: string;
  };
  turn_end: {
    readonly turn: number;
    readonly stop_reason: SessionStopReason;
    readonly tokens: { readonly input: number; readonly output: number; readonly model: string };
    readonly error?: NodeErrorFact;
  };
  /** The oldest turns are no longer sent to the model. */
  session_trim: { readonly messages: number };
  session_cancel: Record<never, never>;
  session_export: { readonly workflow_id: string };
}

/** How a turn of a session ended. `aborted` ends the turn alone. */
export type SessionStopReason = "end_turn" | "max_tokens" | "stop_sequence" | "aborted" | "error";

export type SessionEventType = keyof SessionEventData;

/** One event of a session. */
export type SessionEvent = {
  [Type in SessionEventType]: {
    readonly type: Type;
    readonly session_id: string;
    /** Counts up by one. */
    readonly seq: number;
    readonly timestamp_ms: number;
    readonly data: SessionEventData[Type];
  };
}[SessionEventType];
