import type { StateSnapshot, TrackedPatch } from "@reprise/state";
import type { Decision } from "../decision/decision.ts";
import type { ToolCallRecord } from "../decision/tool-call-record.ts";
import type { Documents } from "../document/documents.ts";
import type { AgentEvent } from "../event/event.ts";
import type { Message } from "../message/message.ts";
import type { RunRecord } from "../run/run-record.ts";
import type { Thread } from "../thread/thread.ts";
import type { Changeset, CommitGuard, Committed, StoredChangeset } from "./changeset.ts";
import type {
  Claim,
  ClaimingSubmission,
  Inbox,
  Lease,
  ReleaseProblem,
  StoreSignal,
  Submitted,
  WorkRequest,
} from "./claim.ts";
import type { MailboxEntry, NewEntry } from "./mailbox.ts";
import type { CallQuery, EntryQuery, MessagePage, MessageQuery, Page, RunQuery, ThreadQuery } from "./queries.ts";
import type { Pruned, Retention } from "./retention.ts";
import type { Presence, Worker, WorkerEntry } from "./worker.ts";

/** The worst failure that committed data survives: a power cut, a crash of the process, or none. */
export type Durability = "power-loss" | "process-crash" | "none";

/**
 * Where threads live. Every implementation passes `describeStore` in the testkit.
 *
 * - What a write returned from is seen by every later read, in any process, and survives as `durability` says.
 * - Tenants are separate worlds: the same ids in two tenants are two things.
 * - Time is the store's own: leases, `available_at` and `expires_at` are compared with its clock, never with the caller's.
 */
export interface Store {
  readonly durability: Durability;
  /** The way in for everything that belongs to one tenant. */
  forTenant(tenant: string): TenantStore;
  /** For the dispatcher and operators: sees all tenants. */
  readonly operator: StoreOperator;
  close(): Promise<void>;
}

/** Everything one tenant has. */
export interface TenantStore extends ThreadWriter, Admission, ThreadReader, RunReader, Documents {
  /**
   * Makes a new id into one that says where a thread is, for a run on that thread or for a thread beside it: what has such an id is
   * found without looking for it. The same id and thread give the same. Left out by stores that find every id as quickly.
   */
  placeId?(id: string, threadId: string): string;
}

/** Writes of a run's owner. */
export interface ThreadWriter {
  /**
   * Appends a changeset.
   *
   * - Atomic: it writes everything, or changes nothing and throws.
   * - Order of checks: a changeset id that the thread already has is answered with its version, whatever the guard says:
   *   `commit` is idempotent. Then the epoch (`STALE_EPOCH`), then the version (`VERSION_CONFLICT`).
   * - A changeset without a run needs no epoch and is refused with `THREAD_BUSY` while a run is running.
   * - A commit under a claim that leaves the thread without a running run gives the claim back.
   * - A waiting run always has a `resume` entry for what it waits for: one for each decision that no commit has consumed, and
   *   one that is available no later than the earliest `expires_at` of its suspended calls and the `until` of its `model_wait`.
   *   So a wake that decided nothing is never lost. An owner that left the run waiting although there was something to decide is
   *   tried again after `UNUSED_WAKE_PAUSE_MS`.
   * - A run that waits with a `model_wait` or `awaits_runs` continues by itself: no entry supersedes it.
   * - At most one run of a thread is not `done` (`THREAD_BUSY`); a run or a call that is over stays so (`ILLEGAL_TRANSITION`).
   * - `INVALID_REQUEST` for a message id the thread has, events that do not follow their run's last `seq`, a decision that is
   *   not pending, an entry or a run of another thread.
   * - The first row of a run accepts the entry that asked for it. Consuming a decision accepts its `resume` entry. The first
   *   commit of a run that was claimed to resume accepts the entry it was claimed for. A run that is done cancels what is left
   *   for it in the mailbox.
   */
  commit(changeset: Changeset, guard: CommitGuard): Promise<Committed>;
  /** Reads the decisions, the cancellation and the messages that arrived for a run. Reading does not consume them. */
  readInbox(threadId: string, runId: string): Promise<Inbox>;
  /** Keeps a full state. A cache: losing it costs time, nothing else. */
  saveSnapshot(threadId: string, snapshot: StateSnapshot): Promise<void>;
}

/** Writes that need no claim. Each is one transaction. */
export interface Admission {
  /**
   * Puts a run into the thread's mailbox, creating the thread when it is new.
   *
   * - With `claiming`, on an idle thread (no open run, no live claim, nothing queued): commits the changeset, accepts the
   *   entry and claims the thread in the same transaction; throws `VERSION_CONFLICT`, storing nothing, when the version is
   *   another one, and `INVALID_REQUEST` when the thread has the changeset. On any other thread it only enqueues.
   * - `reject` on a thread that is not idle throws `THREAD_BUSY`. `interrupt` and `rollback` begin a new generation:
   *   queued `run` entries become `superseded` and an open run, or one just claimed to start, gets a `cancel` entry.
   * - A dedupe key or an entry id already in the thread's mailbox stores nothing and returns the entry that has it. A run id
   *   that is taken is an `INVALID_REQUEST`.
   */
  submit(entry: NewEntry, claiming?: ClaimingSubmission): Promise<Submitted>;
  /**
   * Stores a decision and wakes its run by a `resume` entry, in one transaction.
   *
   * - The key is (run, call, suspension). The first wins: another decision id, or the same with another body, throws
   *   `DECISION_CONFLICT` with the winner in its details. The same decision again returns the stored one, whatever its
   *   `updated_at`. Both hold when the run is done, too.
   * - `RUN_NOT_FOUND`, `RUN_NOT_ACTIVE` when the run is done and nothing was decided, `CALL_NOT_FOUND`; `NOT_SUSPENDED` when the call does not wait
   *   and `early` is false. An early decision is stored for the call's next suspension, for a call without a row the first; it
   *   wakes the run when that suspension is committed.
   * - `NOT_SUSPENDED` when the call's `expires_at` has come: its run continues without a decision. The stored decision still
   *   answers the same one.
   */
  decide(decision: Decision, options?: { readonly early?: boolean }): Promise<Decision>;
  /**
   * Asks the owner of an open run to end it; a run that is still queued is cancelled at once. Asking twice is asking once; a
   * run that is done throws `RUN_NOT_ACTIVE`.
   */
  requestCancel(runId: string, reason: string): Promise<void>;
  /**
   * Begins a new generation of a thread: what is queued to start becomes `superseded`, and an open run, or one just claimed to
   * start, gets a `cancel` entry. `THREAD_NOT_FOUND`. Given a `generation`, it ends that one only: when a later one has begun it
   * changes nothing, and answers the present generation with nothing superseded.
   */
  interruptThread(threadId: string, reason: string, options?: { readonly generation?: number }): Promise<Interrupted>;
  /**
   * Gives an entry that is a dead letter another chance: it is queued again at its old place, with no attempts behind it and
   * in the thread's present generation. `ENTRY_NOT_FOUND`; `ILLEGAL_TRANSITION` when it is not a dead letter.
   */
  requeueEntry(threadId: string, entryId: string): Promise<MailboxEntry>;
  /** Throws `THREAD_EXISTS` when the id is taken, and `INVALID_REQUEST` for metadata longer than `MAX_METADATA_BYTES`. */
  createThread(thread: Pick<Thread, "thread_id" | "resource_id" | "parent_thread_id" | "metadata">): Promise<Thread>;
  /** Replaces the given keys of the thread's metadata, which as a whole has the same limit. */
  updateThread(threadId: string, metadata: Thread["metadata"]): Promise<Thread>;
  /**
   * A new thread with the messages and the state another had at a version, as its own first changeset (reason `fork`).
   * Superseded messages keep their places. Fails with `VERSION_GONE` when pruned.
   */
  forkThread(threadId: string, version: number, newThreadId: string): Promise<Thread>;
  /**
   * Takes a thread with everything it has. `THREAD_BUSY` while a run is running or claimed. Epochs continue when a thread is made
   * anew under the same id, so that no holder of the old one can write to it.
   */
  deleteThread(threadId: string): Promise<void>;
}

/** The result of an interrupt. */
export interface Interrupted {
  readonly generation: number;
  /** The run that is asked to end. */
  readonly run_id?: string;
  readonly superseded: readonly MailboxEntry[];
}

/** A thread and what is open on it. */
export interface ThreadHead {
  readonly thread: Thread;
  readonly generation: number;
  readonly open_run?: RunRecord;
}

/** The messages of a thread from some position on. */
export interface MessageTail {
  readonly messages: readonly Message[];
  readonly superseded: readonly string[];
  /** The position after the last one. */
  readonly next: number;
}

/** The patches of one version. */
export interface VersionPatches {
  readonly version: number;
  readonly patches: readonly TrackedPatch[];
}

/** Reads of threads. One that is not there has nothing, which is no error. */
export interface ThreadReader {
  loadThread(threadId: string): Promise<ThreadHead | undefined>;
  /** Newest first. */
  listThreads(query?: ThreadQuery): Promise<Page<Thread>>;
  listMessages(threadId: string, query?: MessageQuery): Promise<MessagePage>;
  /** For the owner: all messages from a position on that may reach the model; of superseded ones only their ids. */
  readMessages(threadId: string, from: number): Promise<MessageTail>;
  /** The newest snapshot at or before a version. */
  loadSnapshot(threadId: string, version?: number): Promise<StateSnapshot | undefined>;
  /** The patches after a version, oldest first, one item a version, up to another one. `VERSION_GONE` when pruned. */
  readPatches(threadId: string, after: number, upTo?: number): Promise<readonly VersionPatches[]>;
  readChangesets(threadId: string, after: number, limit?: number): Promise<readonly StoredChangeset[]>;
}

/** The events one commit brought, with the epoch that wrote them. */
export interface EventSegment {
  readonly epoch: number;
  readonly events: readonly AgentEvent[];
}

export interface RunReader {
  loadRun(runId: string): Promise<RunRecord | undefined>;
  listRuns(query?: RunQuery): Promise<Page<RunRecord>>;
  loadCall(runId: string, callId: string): Promise<ToolCallRecord | undefined>;
  /**
   * Oldest first; suspended calls in the order in which they were suspended. Needs a run, a thread, an open status or
   * `is_open`, and with a `pending_id` the status `suspended`: `INVALID_REQUEST` otherwise.
   */
  listCalls(query: CallQuery): Promise<Page<ToolCallRecord>>;
  loadDecision(runId: string, callId: string, suspension: number): Promise<Decision | undefined>;
  /** The committed events of a run after a `seq`, oldest first; of at most `limit` commits, so that a long run need not be held whole. */
  readEvents(runId: string, afterSeq: number, limit?: number): Promise<readonly EventSegment[]>;
  /** The last committed `seq` written by this epoch or an earlier one; 0 when there is none. */
  lastSeqOfEpoch(runId: string, epoch: number): Promise<number>;
  /** In order of arrival: on one thread as they came, over threads by the store's time. */
  listEntries(query?: EntryQuery): Promise<Page<MailboxEntry>>;
}

/** The store's operations over all tenants, for the dispatcher. */
export interface StoreOperator {
  /** The store's time, in milliseconds since 1970. */
  now(): Promise<number>;
  /**
   * Claims threads that have work, at most `limit`, each with a higher epoch than any claim before it.
   *
   * - Only work that the abilities allow. Work of an agent that they do not have is left. A run that is open names the definition
   *   and, by its open calls, the tool versions it works with: it goes to a worker with that definition; while no live worker has
   *   it, to one with these tool versions; while none has them either, to any worker with the agent. A run that is to be cancelled
   *   goes to any worker while none has its agent. Work that is left stays where it is in its thread, and nothing overtakes it.
   * - A thread has at most one live claim. Work is, in this order: a running run without a live claim (`recover`, counted in
   *   its `recoveries` unless its owner gave the claim back itself); a waiting run with an inbox (`resume`); the next `run` entry of a thread without an open run, or
   *   whose waiting run the entry's policy supersedes (`start`).
   * - Later entries of a thread do not overtake one that waits to be tried again.
   * - A `run` entry whose claim was lost `MAX_ATTEMPTS` times becomes a dead letter instead; one that wakes a run stays.
   */
  claim(request: WorkRequest): Promise<readonly Claim[]>;
  /**
   * Prolongs claims; returns the epochs that are still the holder's, by thread. A claim that a part of the store could not be asked
   * about, while others answered, is returned as it was given: it is not prolonged, and not known to be lost.
   */
  renew(claims: readonly Claim[], leaseMs: number): Promise<readonly Claim[]>;
  /**
   * Gives a claim back unused; its entry is queued again, later and with an attempt more when there was an error. A run that
   * was to be recovered waits as long. For a claim that is no longer the holder's it only takes back the recovery that its loss
   * was counted as, if its run is still at work: an owner that can say so was slow, and not killed by its run. The claim stays
   * counted in `lost_claims`.
   */
  release(claim: Claim, problem?: ReleaseProblem): Promise<void>;
  /** Gives back every claim of an owner that is known to be gone. */
  releaseOwner(owner: string): Promise<void>;
  /** Lists the claims on a tenant's threads, with their owner and end. Includes expired claims that no process took over. */
  listLeases(tenant: string): Promise<readonly Lease[]>;
  /**
   * Makes this process a worker under a name, able to run nothing until it says what. Claims that an earlier process left under a
   * lasting name are given back. `STORE_OWNED` while another live process has the name; a process that has been silent for longer
   * than its lease, frozen or cut off, is replaced and hears of it with its next announcement.
   */
  enter(entry: WorkerEntry): Promise<Presence>;
  /** The workers that are alive. */
  listWorkers(): Promise<readonly Worker[]>;
  /** The agents whose work is due and that no live worker has, sorted. */
  listMissingAgents(): Promise<readonly string[]>;
  /**
   * Counts the threads, of all tenants, whose work is due and that no process holds: what more workers could begin at once. Work
   * that waits behind a run at work on its own thread is not counted. Stops at `MAX_COUNTED_THREADS`.
   */
  countDueThreads(): Promise<number>;
  /**
   * Forgets what a retention allows, thread by thread, each in a transaction of its own: it can be stopped in between, and
   * runs continue meanwhile. A thread that is damaged or busy is passed over.
   */
  prune(retention: Retention, signal?: AbortSignal): Promise<Pruned>;
  /** Calls back after commits and admissions, in this and, as the store can, other processes. Returns the way to stop. */
  watch(listener: (signal: StoreSignal) => void): () => void;
}
