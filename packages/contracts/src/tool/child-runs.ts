import type { Json } from "@reprise/state";
import type { AgentSummary } from "../agent/agent-spec.ts";
import type { RunLimits } from "../budget/budget.ts";

/**
 * How a run below stands.
 * - `running`: queued, at work, or waiting for something that comes by itself.
 * - `waiting`: a person has to decide about one of its calls.
 * - `completed`, `failed`, `stopped`: over. `stopped` was cancelled.
 */
export type ChildStatus = "running" | "waiting" | "completed" | "failed" | "stopped";

/** A run that a tool call started. */
export interface ChildRun {
  readonly runId: string;
  readonly threadId: string;
  readonly agentId: string;
  /** The tool, for a run that makes one call. */
  readonly toolId?: string;
  readonly status: ChildStatus;
  /** The last answer, once the run is over and has one. */
  readonly output?: string;
  /** The result of the call, for a run that makes one call and has one. */
  readonly result?: Json;
  /** Why the run, or the one call that it makes, failed. */
  readonly error?: string;
  /** How many processes have begun to work on the run since it last made progress: more than one after a crash. Absent while it is queued. */
  readonly attempt?: number;
}

/** The request for a run below. */
export interface NewChildRun {
  readonly agentId: string;
  readonly prompt: string;
  /** Tells several runs of one call apart. Needed only when a call starts more than one. */
  readonly key?: string;
  /** The call does not wait for the run: when the run is over, its parent's thread gets a message. */
  readonly background?: boolean;
  /**
   * Copies the caller's messages and its application state into the thread of the run. Only for agents that run here, and not together
   * with `threadId`.
   */
  readonly forkContext?: boolean;
  /** Continues the thread of an earlier run below instead of starting a new one. */
  readonly threadId?: string;
  /**
   * Limits of the run with everything below it. Set aside in the budget of the caller before the run starts, and returned when it is over.
   * `BUDGET_EXCEEDED` when the budget has less left. For an agent that runs elsewhere only `limitMs` holds; others are an `INVALID_REQUEST`.
   */
  readonly limits?: RunLimits;
  /**
   * Limits that the caller sets for every run it starts, whichever agent works: of two limits the lower one counts. Those that do not hold for an
   * agent that runs elsewhere are left out for it, and the log says so once.
   */
  readonly standingLimits?: RunLimits;
}

/** The request for a run below that makes one call of a tool, without a model. */
export interface NewBackgroundCall {
  /** A tool of the same agent. */
  readonly toolId: string;
  readonly arguments: Json;
  /** Tells several of one call apart. Needed only when a call starts more than one. */
  readonly key?: string;
}

/**
 * The runs that a tool starts below its own. Each is a run like any other: durable, recorded, cancelled with its parent, paid from the
 * same budget.
 */
export interface ChildRuns {
  /** The agents that may work for this one: its lists and the run's policy allow them. Others are refused. */
  agents(): readonly AgentSummary[];
  /**
   * Starts a run of another agent, on a thread of its own (`sub-agent-<run id>`). Durable when it resolves. Idempotent: a call that is
   * executed again after a crash gets the run it started before. `DELEGATION_LIMIT` when the tree of runs is too deep or too large.
   */
  start(child: NewChildRun): Promise<ChildRun>;
  /**
   * Has one call of a tool of this agent run in the background: a run of its own (`bg_<id>`, on the thread `task:<id>`) that makes the call
   * and ends. Its gates, approvals, limits and recovery are those of every call. When it is over, this thread gets a message. Idempotent.
   */
  startCall(call: NewBackgroundCall): Promise<ChildRun>;
  /** A run that was started from this thread; undefined when there is none. Runs of other threads are not found. */
  load(runId: string): Promise<ChildRun | undefined>;
  /**
   * Asks a run that was started from this thread, and every run below it, to stop. Returns the ids of the runs that were not over: none when
   * the run is over.
   */
  cancel(runId: string): Promise<readonly string[]>;
  /**
   * Sends a message to another live run of the same tree: above, below or beside. The run reads it before its next step. Durable when it
   * resolves, and sent once: a call that is executed again sends nothing again. `RUN_NOT_FOUND` for a run of another tree, `RUN_NOT_ACTIVE` for
   * one that is over.
   */
  send(message: NewMessage): Promise<SentMessage>;
}

/** A message to another run of the tree. */
export interface NewMessage {
  /** The id of a run, `parent`, or the id of an agent that works on one live run of the tree. */
  readonly to: string;
  /** At most 16,384 characters. */
  readonly message: string;
  /** Tells several messages of one call apart. Needed only when a call sends more than one. */
  readonly key?: string;
}

/** The run that a message was sent to, and the agent that works on it. */
export interface SentMessage {
  readonly runId: string;
  readonly agentId: string;
}
