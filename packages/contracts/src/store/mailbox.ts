import type { BusyPolicy, RunRequest } from "../run/run-request.ts";

export type EntryStatus = "queued" | "claimed" | "accepted" | "superseded" | "cancelled" | "dead_letter";

/**
 * - `run`: start a run.
 * - `resume`: a decision came for a waiting run.
 * - `cancel`: end an open run.
 */
export type EntryKind = "run" | "resume" | "cancel";

/** One item of a thread's durable queue. */
export interface MailboxEntry {
  readonly entry_id: string;
  readonly thread_id: string;
  readonly kind: EntryKind;
  /** The run to start, to resume or to cancel. */
  readonly run_id: string;
  /** The agent of that run. */
  readonly agent_id: string;
  /** The request, for kind `run`. */
  readonly request?: RunRequest;
  readonly busy_policy: BusyPolicy;
  /** For `rollback`: the run that was open when the entry came. */
  readonly rolls_back?: string;
  readonly sender_id?: string;
  /** Higher goes first; the same priority goes in order of arrival. `resume` and `cancel` go before every `run`. */
  readonly priority: number;
  readonly dedupe_key?: string;
  /** The thread's generation when it came; an interrupt begins a new one and supersedes what is queued. */
  readonly generation: number;
  readonly status: EntryStatus;
  readonly available_at: number;
  /** Claims that were lost before the entry was accepted. */
  readonly attempts: number;
  readonly last_error?: string;
  readonly reason?: string;
  /** The run that took the entry's messages instead of a run of its own. */
  readonly into_run?: string;
  readonly created_at: number;
  readonly updated_at: number;
}

/** An entry as admission creates it. The store adds the other fields. */
export interface NewEntry {
  readonly entry_id: string;
  readonly thread_id: string;
  readonly run_id: string;
  readonly request: RunRequest;
  readonly busy_policy: BusyPolicy;
  readonly priority: number;
  readonly dedupe_key?: string;
  readonly sender_id?: string;
  readonly available_at?: number;
}

/** After this many lost claims an entry is a dead letter. */
export const MAX_ATTEMPTS = 10;

/** Threads with due work are counted up to this: a larger number means the same to its readers. */
export const MAX_COUNTED_THREADS = 10_000;

/** How long a run is left alone whose owner was woken and decided nothing, although there was something to decide. */
export const UNUSED_WAKE_PAUSE_MS = 1_000;

/** After this many owners were lost without progress a run ends as poison. */
export const MAX_RECOVERIES = 3;

/** After this many lost claims without a commit in between a run ends as poison, also when its owners were only slow. */
export const MAX_LOST_CLAIMS = 10;
