import type { Changeset, Effect, Env } from "@reprise/contracts";
import type { RecordedCommit } from "./effect-log.ts";

/** What a replay does with an activation's commits, and with where it parts from them. */
export interface ReplayJudge {
  /** Compares a commit with the recorded one, and takes that in; false when they differ. */
  accept(commit: number, changeset: Changeset): boolean;
  /** The loop does not ask for the effect that comes next, or asks for one that does not. */
  missed(commit: number, index: number, effect: Effect | undefined, asked: readonly string[]): void;
}

export interface ReplayPortOptions {
  readonly env: Pick<Env, "yield">;
  readonly loopVersion: number;
  readonly mayHaveMail: boolean;
  readonly commits: readonly RecordedCommit[];
  /** Whether the owner was lost after its last commit: the run neither waits nor is done. */
  readonly isLeft: boolean;
  /** Whether the definition's own code is asked. */
  readonly isAsking: boolean;
  readonly judge: ReplayJudge;
}
