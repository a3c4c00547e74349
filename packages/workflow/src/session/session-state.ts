import { invalidRequest, type Message } from "@reprise/contracts";
import type { WorkflowAgent } from "../document/workflow-document.ts";

/** The version of a stored session. */
const SESSION_FORMAT = 1;

/** Everything a session knows between two turns. Plain JSON: the host stores it, and any process may continue from it. */
export interface AgentSessionState {
  readonly format: typeof SESSION_FORMAT;
  readonly session_id: string;
  readonly agent: WorkflowAgent;
  readonly status: "open" | "cancelled";
  /** The number of the last event. */
  readonly seq: number;
  /** Turns that began, also those that came to nothing. */
  readonly turns: number;
  /** What was said, in whole turns: each call has its result, each question its answer. */
  readonly messages: readonly Message[];
  readonly cost_microcents: number;
}

export function newSessionState(id: string, agent: WorkflowAgent): AgentSessionState {
  return {
    format: SESSION_FORMAT,
    session_id: id,
    agent,
    status: "open",
    seq: 0,
    turns: 0,
    messages: [],
    cost_microcents: 0,
  };
}

/** Reads a stored state; refuses one that is none, or that a newer version wrote. */
export function readSessionState(stored: unknown): AgentSessionState {
  const problem = findProblem(stored);
  if (problem !== undefined) throw invalidRequest(`The state of the session cannot be used: ${problem}.`);
  // Checked just above.
  return stored as AgentSessionState;
}

function findProblem(stored: unknown): string | undefined {
  if (typeof stored !== "object" || stored === null) return "it is no object";
  const { format, session_id, agent, status, seq, turns, messages, cost_microcents } = stored as Partial<
    Record<keyof AgentSessionState, unknown>
  >;
  if (format !== SESSION_FORMAT) return `its format is ${JSON.stringify(format)}, and this version reads 1`;
  if (typeof session_id !== "string" || session_id === "") return "session_id must be a non-empty string";
  if (typeof agent !== "object" || agent === null || !("id" in agent)) return "agent must be an agent";
  if (status !== "open" && status !== "cancelled") return "status must be open or cancelled";
  if (!Array.isArray(messages)) return "messages must be an array";
  const isCounted = [seq, turns, cost_microcents].every((count) => typeof count === "number" && count >= 0);
  return isCounted ? undefined : "seq, turns and cost_microcents must be numbers from 0";
}
