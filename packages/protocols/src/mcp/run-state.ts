import { type AgentEvent, continuesByItself, type EventData, type ToolResult } from "@reprise/contracts";
import { advanceQuestions, type TreeQuestion } from "../chat/tree-questions.ts";

/** A run, and the runs below it, as far as their events told. Plain data. */
export interface McpRunState {
  /** Set once the run began. */
  readonly run?: { readonly run_id: string; readonly thread_id: string };
  /** How many signs of progress there were. */
  readonly progress: number;
  /** What it did last, in words. */
  readonly message?: string;
  /** The open questions of the run and of the runs below it. Answers carry the ids of their suspensions. */
  readonly questions: readonly TreeQuestion[];
  /** The ids of all questions that were asked so far. */
  readonly asked: readonly string[];
  /** The result of the last call that is done. */
  readonly result?: ToolResult;
  /** Set while the run waits, and once it is over. */
  readonly end?: EventData["run_finish"];
}

export const INITIAL_MCP_STATE: McpRunState = { progress: 0, questions: [], asked: [] };

/** Takes an event of the run, or of a run below it, in. Pure. */
export function advanceMcpRun(state: McpRunState, event: AgentEvent): McpRunState {
  const { questions, asked } = state;
  const open = advanceQuestions(questions, event);
  const question = questionIn(event);
  const known = open === questions ? state : { ...state, questions: open };
  const next = question === undefined ? known : { ...known, asked: [...asked, question.suspension.id] };
  // Of a run below only its questions matter.
  return event.lineage === undefined ? advanceOwn(next, event) : next;
}

/** What an event asks a person. */
export function questionIn(event: AgentEvent): TreeQuestion["ticket"] | undefined {
  const suspended = event.type === "tool_call_done" ? event.data.suspended : undefined;
  return suspended === undefined || continuesByItself(suspended) ? undefined : suspended.ticket;
}

function advanceOwn(state: McpRunState, event: AgentEvent): McpRunState {
  switch (event.type) {
    case "run_start": {
      const { end: _, ...rest } = state;
      return { ...rest, run: { run_id: event.run_id, thread_id: event.thread_id } };
    }
    case "step_start":
      return progressed(state, "Thinking.");
    case "tool_call_ready":
      return progressed(state, `Calling ${event.data.name}.`);
    case "activity_snapshot":
      return progressed(state, messageOf(event.data.content));
    case "tool_call_done":
      return event.data.suspended === undefined ? { ...state, result: event.data.result } : state;
    case "run_finish":
      return { ...state, end: event.data };
    default:
      return state;
  }
}

function progressed(state: McpRunState, message: string | undefined): McpRunState {
  return { ...state, progress: state.progress + 1, ...(message !== undefined && { message }) };
}

/** The message of a tool's progress. */
function messageOf(content: unknown): string | undefined {
  const { message } = (typeof content === "object" ? (content ?? {}) : {}) as { readonly message?: unknown };
  return typeof message === "string" && message !== "" ? message : undefined;
}
