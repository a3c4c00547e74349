import {
  type AgentEvent,
  type Decision,
  type Inbox,
  type MailboxEntry,
  RepriseError,
  type RunRecord,
} from "@reprise/contracts";
import type { Json } from "@reprise/state";
import { ClaimLost, RunCancelled } from "../dispatcher/outcomes.ts";
import { MailFlag } from "../loop/mail-flag.ts";
import type { RecordedActivation } from "./activations.ts";
import type { Difference } from "./compare-commits.ts";
import { ExpectedCommit, isExpiry } from "./expected-commit.ts";
import { NOTE } from "./notes.ts";
import { doneIn } from "./played-call.ts";
import { decisionsIn, steeringIn } from "./recorded-inbox.ts";
import type { ExecutionPlace } from "./witness.ts";

/** A call that a replayed run waits for. */
export interface WaitingCall {
  readonly place: ExecutionPlace;
  readonly finish: () => void;
}

/** Where a replay parted from what was recorded. */
export interface Divergence extends Difference {
  readonly version: number;
}

export interface PlaybackOptions {
  readonly run: RunRecord;
  readonly decisions: readonly Decision[];
  readonly steering: readonly MailboxEntry[];
}

/**
 * What comes to one replayed activation from outside, in the order in which it came: the next commit it is expected to make, what
 * was noted for it, and the signals. One activation at a time.
 */
export class Playback {
  readonly controller: AbortController = new AbortController();
  readonly loss: AbortController = new AbortController();
  readonly mail: MailFlag = new MailFlag(true);
  readonly activation: RecordedActivation;
  /** Calls at work, by id. */
  readonly waiting: Map<string, WaitingCall> = new Map();
  /** The call that ended last, until it is a part of the run: another one would overtake it by its number. */
  unsettled: string | undefined;
  /** The events this commit has shown so far. */
  position = 0;
  /** Milliseconds that have passed for the clock that never goes back. */
  mono = 0;
  divergence: Divergence | undefined;
  /** Set when what the replay needs was never recorded. */
  impossible: string | undefined;
  #resumeTurn: (() => void) | undefined;
  readonly #options: PlaybackOptions;
  readonly #commits: readonly ExpectedCommit[];
  #next = 0;
  #ticks = 0;
  #shown = 0;
  #unseen = 0;
  /** The events held back for this commit so far. */
  #held = 0;
  #saidAt = -1;

  constructor(activation: RecordedActivation, options: PlaybackOptions) {
    this.activation = activation;
    this.#options = options;
    this.#commits = activation.changesets.map((changeset) => new ExpectedCommit(changeset, options.run.run_id));
  }

  /** The commit that comes next; after the last one, that one still answers. */
  get expected(): ExpectedCommit {
    const commit = this.#commits[this.#next] ?? this.#commits.at(-1);
    if (commit === undefined) throw new RepriseError("INTERNAL", "An activation without commits.");
    return commit;
  }

  /** Whether everything that was recorded of this activation has happened again. */
  get isComplete(): boolean {
    return this.#next >= this.#commits.length;
  }

  /** The next event that was shown. */
  get nextShown(): AgentEvent | undefined {
    return this.isComplete ? undefined : this.expected.shown[this.position];
  }

  /** Has a turn wait until something else came first. */
  pauseTurn(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#resumeTurn = resolve;
    return promise;
  }

  /** Goes on with a turn that waits. */
  resumeTurn(): void {
    this.#resumeTurn?.();
    this.#resumeTurn = undefined;
  }

  tick(): void {
    if (this.isCancelDue) this.cancel();
    this.#ticks += 1;
  }

  noteShown(): void {
    if (this.isCancelDue) this.cancel();
    this.#shown += 1;
    this.position += 1;
  }

  noteHeld(): void {
    this.noteMark();
    this.#held += 1;
  }

  noteMark(): void {
    if (this.isCancelDue) this.cancel();
    this.#unseen += 1;
  }

  /** Grows with everything the activation does. */
  get progress(): number {
    return this.#ticks + this.#shown + this.#unseen + this.#next;
  }

  /** Whether the run was cancelled exactly here. */
  get isCancelDue(): boolean {
    const at = this.activation.cancel?.at;
    if (at === undefined || this.controller.signal.aborted) return false;
    const { ticks, shown, unseen = this.#unseen } = at;
    return ticks === this.#ticks && shown === this.#shown && unseen === this.#unseen;
  }

  cancel(): void {
    const { entryId, reason } = this.activation.cancel ?? { entryId: "", reason: "" };
    this.controller.abort(new RunCancelled(entryId, reason));
    this.resumeTurn();
  }

  /** The expected commit was made. An owner that never committed again is gone from here on. */
  committed(): void {
    this.#next += 1;
    this.position = 0;
    this.#held = 0;
    this.mail.raise();
    if (this.isComplete && this.#isLeft) this.lose();
  }

  /** Stops the activation: its owner was lost here, or it no longer does what was recorded. */
  lose(): void {
    const reason = new ClaimLost("The recording of this owner ends here.");
    this.controller.abort(reason);
    this.loss.abort(reason);
    this.resumeTurn();
  }

  /** Notes where the replay parted from the recording, and stops it. */
  diverge(difference: Difference): void {
    const { version } = this.expected.changeset;
    this.divergence ??= { version, ...difference };
    this.lose();
  }

  /** Whether the run neither waits nor is done after this activation. */
  get #isLeft(): boolean {
    const { run_id } = this.#options.run;
    return this.#commits.at(-1)?.changeset.runs.find((row) => row.run_id === run_id)?.status === "running";
  }

  /** Has the run look into its inbox, when what it found there is due; once for each place it comes to. */
  sayDecided(): boolean {
    if (!this.isDecisionDue || this.#saidAt === this.progress) return false;
    this.#saidAt = this.progress;
    this.mail.raise();
    return true;
  }

  /** What lay in the inbox when the run looked: what its next commit has used. */
  readInbox(): Inbox {
    const { cancel } = this.activation;
    const { run, decisions, steering } = this.#options;
    const isReady = this.#isAllShown || this.expected.hasRefusal;
    const [here, next] = this.#commits.slice(this.#next);
    const found = isReady && here !== undefined ? steeringIn(here, next, { run, steering }) : [];
    return {
      decisions: this.isDecisionDue ? decisionsIn(this.expected, decisions) : [],
      ...(cancel !== undefined &&
        cancel.at === undefined && { cancel: { entry_id: cancel.entryId, reason: cancel.reason } }),
      ...(found.length > 0 && { steering: found }),
    };
  }

  /** Whether the decisions that the next commit uses have come: what was held back before them is held back again. */
  get isDecisionDue(): boolean {
    const { firstDecided } = this.expected;
    return firstDecided >= 0 && this.#held >= firstDecided && !this.isComplete && this.#isAllShown;
  }

  /** Whether the run has come to where its next commit is made. */
  get #isAllShown(): boolean {
    return this.position >= this.expected.shown.length;
  }

  /** The same for a question that ran out. */
  isExpiryDue(callId: string): boolean {
    const isExpired = this.expected.held.some((event) => isExpiry(event) && event.data.id === callId);
    return isExpired && this.isDecisionDue;
  }

  /** Whether a call still comes to an end of its own. */
  willEnd(callId: string): boolean {
    return this.#commits.slice(this.#next).some((commit) => doneIn(commit, callId) !== undefined);
  }

  note(place: string, name: string): Json | undefined {
    return this.isComplete ? undefined : this.expected.take(place, name);
  }

  /** The error with which a commit was refused when it was first tried, if it was. */
  refusalOf(changesetId: string): Json | undefined {
    return this.isComplete ? undefined : this.expected.take(NOTE.commit, changesetId);
  }
}
