import type { AgentEvent, EventData, SuspendTicket, ToolResult } from "@reprise/contracts";

/** An open question of a run: the id that answers carry, and what is asked. */
export interface OpenQuestion {
  readonly id: string;
  readonly ticket: SuspendTicket;
}

/** A run as far as its events told it. Plain data. */
export interface McpRunState {
  /** How many signs of progress there were. */
  readonly progress: number;
  /** What it did last, in words. */
  readonly message?: string;
  /** The open questions, by call. */
  readonly questions: Readonly<Record<string, OpenQuestion>>;
  /** The ids of all questions that were asked so far. */
  readonly asked: readonly string[];
  /** The result of the last call that is done. */
  readonly result?: ToolResult;
  /** Set while the run waits, and once it is over. */
  readonly end?: EventData["run_finish"];
}

export const INITIAL_MCP_STATE: McpRunState = { progress: 0, questions: {}, asked: [] };

/** Takes an event in. Pure. */
export function advanceMcpRun(state: McpRunState, event: AgentEvent): McpRunState {
  switch (event.type) {
    case "run_start": {
      const { end: _, ...rest } = state;
      return rest;
    }
    case "step_start":
      return progressed(state, "Thinking.");
    case "tool_call_ready":
      return progressed(state, `Calling ${event.data.name}.`);
    case "activity_snapshot":
      return progressed(state, messageOf(event.data.content));
    case "tool_call_done": {
      const { id, suspended, result } = event.data;
      if (suspended === undefined) return { ...without(state, id), result };
      const question = { id: suspended.ticket.suspension.id, ticket: suspended.ticket };
      const questions = { ...state.questions, [id]: question };
      return { ...state, questions, asked: [...state.asked, question.id] };
    }
    case "tool_call_resumed":
      return without(state, event.data.target_id);
    case "run_finish":
      return { ...state, end: event.data };
    default:
      return state;
  }
}

function progressed(state: McpRunState, message: string | undefined): McpRunState {
  return { ...state, progress: state.progress + 1, ...(message !== undefined && { message }) };
}

function without(state: McpRunState, call: string): McpRunState {
  const { [call]: _, ...questions } = state.questions;
  return { ...state, questions };
}

/** The message of a tool's progress. */
function messageOf(content: unknown): string | undefined {
  const { message } = (typeof content === "object" ? (content ?? {}) : {}) as { readonly message?: unknown };
  return typeof message === "string" && message !== "" ? message : undefined;
}
