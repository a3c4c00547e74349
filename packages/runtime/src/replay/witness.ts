import type { CheckedInput, PhaseAction, Recording, StoppedReason, ToolCallRecord } from "@reprise/contracts";
import type { Json, Op, Patch, Path } from "@reprise/state";
import type { RunWorkspace } from "../loop/run-workspace.ts";
import type { RouteSession } from "../route/route-session.ts";
import type { ExecutedCall } from "../tools/execute-call.ts";
import type { Turn, TurnOptions } from "../turn/turn.ts";

/** What a stop policy said, or why it could not be asked. */
export interface StopSaid {
  readonly reason?: StoppedReason;
  readonly problem?: string;
}

/** Which inference of a run a model is asked in. */
export interface TurnPlace {
  readonly workspace: RunWorkspace;
  readonly stepId: string;
  readonly session: RouteSession;
}

/** A change that a plugin asked for: by whom, as which patch of its commit, and to what part of the state. */
export interface StateChange {
  readonly source: string;
  readonly index: number;
  readonly path: Path;
}

/** A call that is about to be executed. */
export interface ExecutionPlace {
  readonly workspace: RunWorkspace;
  readonly call: ToolCallRecord;
  readonly signal: AbortSignal;
}

/**
 * Everything an activation learns from outside of its thread goes through its witness. Live, it asks and notes what a later replay
 * could not know otherwise; in a replay it hands back what was noted. What is usual is not noted.
 */
export interface Witness {
  /** The time. */
  now(): number;
  /** Whether the time at which a call's question runs out has come. Asked often, and told only when it has. */
  isPast(callId: string, expiresAt: number): boolean;
  /** How long the run was at work since this was last asked. */
  activeMs(): number;
  /** Something of the run begins or is over. Counted, so that an interruption is known by where it came. */
  tick(place?: string): void;
  /** An event was shown; counted for the same reason. */
  shown(): void;
  /** An event is held back for the next commit. */
  held(): void;
  /** The run takes in what it found in the inbox, or looks whether it was interrupted. Counted for the same reason too. */
  mark(): void;
  /** What the plugins of a phase asked for, in the order in which they were asked. */
  answered(place: string, answers: readonly (readonly PhaseAction[] | undefined)[]): void;
  /** A hook, or a plugin's activation, failed. */
  hookFailed(place: string, plugin: string, error: unknown): void;
  /** What a stop policy said, or that it could not be asked. */
  stopSaid(place: string, policy: string, said: StopSaid): void;
  /** Tools that were taken out of a request on its way to the model. */
  toolsHidden(stepId: string, hidden: ReadonlySet<string>): void;
  check(callId: string, ask: () => Promise<CheckedInput>): Promise<CheckedInput>;
  needsApproval(callId: string, ask: () => Promise<boolean>): Promise<boolean>;
  turn(place: TurnPlace, options: TurnOptions): Promise<Turn>;
  execute(place: ExecutionPlace, run: () => Promise<ExecutedCall>): Promise<ExecutedCall>;
  /** What a plugin's change of state comes to. */
  reduce(change: StateChange, run: () => Patch): Patch;
  /** What a call's changes come to beside those of the calls it overlapped with. */
  rebase(callId: string, executed: ExecutedCall, run: () => readonly Op[]): readonly Op[];
  /** An execution becomes part of the run. */
  settled(callId: string, executed: ExecutedCall): void;
  /** Has something impure done once. */
  record<Value extends Json>(place: string, name: string, run: () => Promise<Value> | Value): Promise<Value>;
  /** A commit that the store refused for good: its number is used up. */
  commitRefused(changesetId: string, error: unknown): void;
  /** Whether this is no replay: only then effects happen, and models are found and paid. */
  readonly isLive: boolean;
  /** Whether plugins and definitions are asked; otherwise what they said is taken from the notes. */
  readonly isAsking: boolean;
  /** What was noted since the last time, for a commit; `committedAt` is the time it says it was made at. */
  take(committedAt: number): readonly Recording[];
  /** What was taken was not committed. */
  putBack(notes: readonly Recording[]): void;
}
