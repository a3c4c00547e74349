import type { Json } from "@reprise/state";
import type { Decision } from "../decision/decision.ts";
import type { Message } from "../message/message.ts";
import type { SuspendRequest } from "../plugin/phase-action.ts";
import type { Termination } from "../run/termination.ts";
import type { AgentSpec } from "./agent-spec.ts";

/** What a backend is asked to run. */
export interface BackendRun {
  /** The same whenever the run is asked for again: after a decision, and after its owner was lost. Work of this id goes on, it does not begin anew. */
  readonly run_id: string;
  readonly thread_id: string;
  readonly messages: readonly Message[];
  /** The decisions about questions of this run that were made since it was suspended. One may come again after its owner was lost. */
  readonly decisions: readonly BackendDecision[];
  /** Aborted when nobody here waits any longer. The run may go on under another owner: only `cancel` says that it must not. */
  readonly signal: AbortSignal;
  /** Shows what the agent says as it says it. */
  readonly showText: (delta: string) => void;
}

/** Something the remote agent needs to know before it can go on. */
export interface BackendQuestion extends Pick<SuspendRequest, "message" | "response_schema" | "expires_in_ms"> {
  /** The backend's own name for the question. The decision about it carries it. */
  readonly id: string;
  /** What is asked for: `approval`, or a word of your own. */
  readonly action: string;
  /** What the question is about: for whoever decides, and for the backend, which gets them back. */
  readonly parameters?: Json;
}

/** What was decided about a question of a backend. */
export interface BackendDecision extends Pick<Decision, "decision_id" | "action" | "arguments" | "result" | "reason"> {
  readonly question_id: string;
  readonly parameters: Json;
}

/** Runs agents that live elsewhere. */
export interface ExecutionBackend {
  /** The word in an endpoint's `backend`. */
  readonly id: string;
  /** Refuses an endpoint it could not work with, by returning what is wrong with it. */
  check(agent: AgentSpec): string | undefined;
  /** Works on a run until it ends or waits for decisions. */
  run(agent: AgentSpec, run: BackendRun): Promise<BackendOutcome>;
  /** Ends a run that was cancelled or superseded, whether it is at work or waits. May be asked more than once. */
  cancel?(agent: AgentSpec, run: Pick<BackendRun, "run_id" | "thread_id">): Promise<void>;
}

export interface BackendOutcome {
  /** `suspended` needs questions; every other termination ends the run. */
  readonly termination: Termination;
  readonly text: string;
  /** All questions that are open now. One that was open before and is not named any more is withdrawn. */
  readonly questions?: readonly BackendQuestion[];
}
