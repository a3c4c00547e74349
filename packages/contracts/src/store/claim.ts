import type { Decision } from "../decision/decision.ts";
import type { RunRecord } from "../run/run-record.ts";
import type { Changeset } from "./changeset.ts";
import type { MailboxEntry } from "./mailbox.ts";
import type { Abilities } from "./worker.ts";

/** The worker that claims, and how long it may hold the claim. */
export interface ClaimRequest {
  readonly owner: string;
  readonly lease_ms: number;
}

/** A worker's request for work. */
export interface WorkRequest extends ClaimRequest {
  readonly limit: number;
  /** The agents that the process can run. Absent: all, for tools that only move work. */
  readonly abilities?: Abilities;
}

/**
 * A time-limited right to write to a thread.
 * - `start`: an entry wants a run; `run` is the waiting run it supersedes, if there is one.
 * - `resume`: `run` waits, and has a decision or a cancellation in its inbox or a question whose time is up.
 * - `recover`: `run` was running and its owner is gone.
 */
export interface Claim {
  readonly tenant: string;
  readonly thread_id: string;
  readonly owner: string;
  readonly epoch: number;
  /** In the store's time. */
  readonly lease_until: number;
  readonly kind: "start" | "resume" | "recover";
  readonly entry?: MailboxEntry;
  readonly run?: RunRecord;
  /** How many claims on the thread were lost since its last commit, whatever the cause; left out when none was. */
  readonly lost_claims?: number;
  /** Versions that were acknowledged to an earlier owner and are gone, both included: its run cannot be continued. */
  readonly lost?: { readonly from: number; readonly to: number };
}

/** A claim as others see it. */
export interface Lease extends Pick<Claim, "thread_id" | "owner" | "epoch" | "lease_until" | "kind"> {
  /** The thread's open run; left out while it is about to start. */
  readonly run_id?: string;
  /** In the store's time. From then on any worker may take the thread over. */
  readonly is_expired: boolean;
}

/** The run a claim is for. One to start may name the waiting run it supersedes; the run that counts is its own. */
export function claimedRun({ kind, entry, run }: Claim): string | undefined {
  return kind === "start" ? entry?.run_id : run?.run_id;
}

/** Why a claim is given back before its work is done. */
export interface ReleaseProblem {
  readonly error: string;
  /** How long to wait before the next attempt. The store counts it from its own time. */
  readonly retry_after_ms: number;
  /** Trying again cannot help: an entry that was to start a run becomes a dead letter at once. */
  readonly is_final?: boolean;
}

/** The decisions, the cancellation and the messages that arrived for a run while its owner was busy. */
export interface Inbox {
  /** Stored and not yet consumed, in order of arrival. */
  readonly decisions: readonly Decision[];
  readonly cancel?: { readonly entry_id: string; readonly reason: string };
  /**
   * Queued entries of the thread with the policy `steer`, in order: the run may take their messages as its own.
   * Left out when there are none.
   */
  readonly steering?: readonly MailboxEntry[];
}

/** An entry together with the first changeset of its run, for a thread that is expected to be idle. */
export interface ClaimingSubmission extends ClaimRequest {
  readonly changeset: Changeset;
  readonly expected: number;
}

export type Submitted =
  /** The thread was idle: entry accepted, changeset committed, claim held, in one step. */
  | { readonly status: "claimed"; readonly entry: MailboxEntry; readonly claim: Claim; readonly version: number }
  | { readonly status: "queued"; readonly entry: MailboxEntry }
  /** The dedupe key was seen before; nothing was stored. */
  | { readonly status: "duplicate"; readonly entry: MailboxEntry };

/** Something happened that a process other than the writer may wait for. */
export interface StoreSignal {
  readonly tenant: string;
  readonly thread_id: string;
  /** `work`: an entry may be claimable. `inbox`: a decision or cancellation came. `commit`: there is more to read. */
  readonly kind: "work" | "inbox" | "commit";
  readonly run_id?: string;
}
