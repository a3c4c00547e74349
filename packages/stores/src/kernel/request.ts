import type {
  Abilities,
  Claim,
  ClaimRequest,
  CommitGuard,
  Decision,
  NewEntry,
  PrunedThreads,
  ReleaseProblem,
  Thread,
} from "@reprise/contracts";
import type { ThreadRows } from "./demand.ts";
import type { Interruption } from "./interrupt.ts";
import type { NeedText } from "./need.ts";
import type { DecisionRow, EntryRow, RunRow, ThreadRow } from "./rows.ts";
import type { SealedChangeset } from "./sealed-changeset.ts";

/** An entry with what it asks for sealed. `resource_id` and `parent_thread_id` are for a thread that is made with it. */
export interface SealedEntry extends Omit<NewEntry, "request"> {
  readonly request: string;
  readonly agent_id: string;
  readonly resource_id?: string;
  readonly parent_thread_id?: string;
}

export interface SealedClaiming extends ClaimRequest {
  readonly changeset: SealedChangeset;
  readonly expected: number;
}

/** A process that claims work, and the work that it can do. */
export interface Claimer extends ClaimRequest {
  /** The needs of the work that it may do, from those that are due. */
  readonly needs: readonly NeedText[];
  /** The agents that it can run, without their tools. Absent: all. */
  readonly abilities?: Abilities;
}

/** Why a claim ends before its work is done, and when to try again in the store's time. */
export interface Problem extends Omit<ReleaseProblem, "retry_after_ms"> {
  readonly retry_at: number;
}

/** The claim under which a thread is recovered, and the highest version that any message names. */
export interface FlushRecovery {
  readonly epoch: number;
  readonly promised: number;
}

/** Every write to one thread, as data: it can be queued, batched and sent to another thread of execution. */
export interface ThreadRequests {
  /**
   * `shown_epoch`: the epoch its events were shown under, when that is earlier than the writer's. `holds`: the caller keeps
   * the thread as the answer brings it, to plan the next commit on.
   */
  commit: {
    readonly changeset: SealedChangeset;
    readonly guard: CommitGuard;
    readonly shown_epoch?: number;
    readonly holds?: true;
  };
  /**
   * Several commits to a thread, in order, all or none; one that the thread has is passed over. With `recovery` they are what
   * owners before left in a buffer: then as many as follow the thread's version and each other.
   */
  flush: {
    readonly thread_id: string;
    readonly commits: readonly ThreadRequests["commit"][];
    readonly recovery?: FlushRecovery;
  };
  submit: { readonly entry: SealedEntry; readonly claiming?: SealedClaiming; readonly holds?: true };
  decide: { readonly decision: Decision; readonly is_early: boolean };
  cancel: { readonly run_id: string; readonly reason: string };
  /** `generation`: the one that is to end; null for whichever it is. */
  interrupt_thread: { readonly thread_id: string; readonly reason: string; readonly generation: number | null };
  create_thread: { readonly thread: Pick<Thread, "thread_id" | "resource_id" | "parent_thread_id" | "metadata"> };
  update_thread: { readonly thread_id: string; readonly metadata: Thread["metadata"] };
  fork_thread: { readonly thread_id: string; readonly version: number; readonly new_thread_id: string };
  delete_thread: { readonly thread_id: string };
  save_snapshot: { readonly thread_id: string; readonly version: number; readonly state: string };
  /** Forgets what may be forgotten; a part that is null stays. */
  prune_thread: {
    readonly thread_id: string;
    /** The state at the version up to which history may go. */
    readonly history: { readonly up_to: number; readonly state: string } | null;
    /** Entries that were over before this time. */
    readonly entries_before: number | null;
    /** The thread itself, when nothing changed it since then. */
    readonly idle_since: number | null;
  };
  requeue_entry: { readonly thread_id: string; readonly entry_id: string };
  /** Takes the next work of a thread that the work index offered. */
  claim: { readonly thread_id: string; readonly request: Claimer };
  /** `promised`: the highest version the holder was told to have made, when that is not in the database yet. */
  renew: { readonly thread_id: string; readonly epoch: number; readonly lease_ms: number; readonly promised?: number };
  /** `run_id`: the run the claim is for. */
  release: {
    readonly thread_id: string;
    readonly epoch: number;
    readonly run_id?: string;
    readonly problem?: ReleaseProblem;
  };
  /** Ends whatever claim an owner that is gone has on a thread. */
  release_owner: { readonly thread_id: string; readonly owner: string };
  /** Closes a thread for writing, because a row of it cannot be read. */
  report_damage: { readonly thread_id: string; readonly damage: string };
}

/** The answer of each operation. Rows are returned as they are stored; the caller decodes them. */
export interface ThreadAnswers {
  commit: { readonly version: number; readonly held?: HeldThread | undefined };
  flush: { readonly version: number; readonly lost?: NonNullable<Claim["lost"]> };
  submit: SubmitAnswer;
  decide: DecisionRow["decision"];
  cancel: null;
  interrupt_thread: Interruption;
  create_thread: Thread;
  update_thread: Thread;
  fork_thread: Thread;
  delete_thread: null;
  save_snapshot: null;
  prune_thread: PrunedThreads;
  requeue_entry: EntryRow;
  claim: ClaimAnswer | null;
  renew: { readonly lease_until: number } | null;
  release: null;
  release_owner: null;
  report_damage: null;
}

export type SubmitAnswer =
  | { readonly status: "claimed"; readonly entry: EntryRow; readonly claim: ClaimAnswer; readonly version: number }
  | { readonly status: "queued" | "duplicate"; readonly entry: EntryRow };

/**
 * All that the rules need to know about a thread to plan the next commit under a claim, or the next submission to it while it is
 * idle. What it says of the mailbox, of decisions and of the claim is true as long as the thread's `revision` is the same.
 */
export type HeldThread = ThreadRows & { readonly thread: ThreadRow };

export interface ClaimAnswer {
  readonly claim: Omit<Claim, "entry" | "run">;
  readonly held?: HeldThread | undefined;
  readonly entry?: EntryRow;
  readonly run?: RunRow["record"];
  readonly lost?: NonNullable<Claim["lost"]>;
}

export type ThreadOperation = keyof ThreadRequests;

/** A request with its tenant and its name. */
export type ThreadRequest<Operation extends ThreadOperation = ThreadOperation> = {
  [Name in Operation]: { readonly operation: Name; readonly tenant: string } & ThreadRequests[Name];
}[Operation];
