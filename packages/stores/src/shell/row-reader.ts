import type {
  AgentEvent,
  CallQuery,
  EntryQuery,
  Message,
  MessageQuery,
  RunQuery,
  StoredChangeset,
  TenantThread,
  ThreadKey,
  ThreadQuery,
  ToolCallRecord,
} from "@reprise/contracts";
import type { TrackedPatch } from "@reprise/state";
import type { StoredText } from "../codec/stored-text.ts";
import type { CallRow, DecisionRow, EntryRow, RunRow, SupersededRange, ThreadRow } from "../kernel/rows.ts";

/** A part of a list and the length of the whole. */
export interface RowPage<Row> {
  readonly rows: readonly Row[];
  readonly total: number;
}

/** Which part of a list; both are whole numbers within bounds. */
export interface Cut {
  readonly offset: number;
  readonly limit: number;
}

/** Which commits with messages: those with a position from `first` to `last`, both included. */
export interface MessageSelection extends Pick<Required<MessageQuery>, "order"> {
  readonly first: number;
  readonly last: number;
  /** Leaves out commits that have only internal messages. */
  readonly only_shown: boolean;
  readonly run_id?: string;
  /** The most rows; all of them unless given. */
  readonly limit?: number;
}

/** The messages of one commit, or of one part of a large one. Opening throws `CORRUPT_DATA` when they are damaged. */
export interface MessageRow {
  readonly first_position: number;
  readonly message_count: number;
  readonly run_id: string | null;
  open(): readonly Message[];
}

/** In the order that was asked for, with every range of superseded messages of the thread. */
export interface MessageRows {
  readonly rows: readonly MessageRow[];
  readonly superseded: readonly SupersededRange[];
}

/** The patches of one version. */
export interface PatchRow {
  readonly version: number;
  readonly is_pruned: boolean;
  open(): readonly TrackedPatch[];
}

/** One commit. */
export interface CommitRow {
  readonly version: number;
  readonly is_pruned: boolean;
  open(): StoredChangeset;
}

/** The events of a commit that has events of the run that was asked for; others may be among them. */
export interface EventRow {
  readonly thread_id: string;
  readonly epoch: number;
  /** The first `seq` of the run in it. */
  readonly first_seq: number;
  open(): readonly AgentEvent[];
}

/** The calls that one commit changed. */
export interface CallsRow {
  open(): readonly ToolCallRecord[];
}

/** What came for a run of a thread. */
export interface InboxRows {
  /** Not yet used by a commit; in order of arrival. */
  readonly decisions: readonly DecisionRow["decision"][];
  /** The pending entry that asks for its end. */
  readonly cancel: EntryRow | undefined;
  /** The thread's queued runs with the policy `steer`, in the order they go. */
  readonly steering: readonly EntryRow[];
}

/**
 * The reads of a store, row by row. What is not there is `undefined` or empty. A row that cannot be opened throws
 * `CORRUPT_DATA`; so does nothing else here.
 */
export interface RowReader {
  loadThread(
    tenant: string,
    threadId: string,
  ): Promise<{ readonly thread: ThreadRow; readonly open_run?: RunRow["record"] } | undefined>;
  /** Threads of all tenants after a place, in some fixed order. */
  pageThreads(after: ThreadKey | undefined, limit: number): Promise<readonly TenantThread[]>;
  /** Newest first. */
  listThreads(tenant: string, query: ThreadQuery, cut: Cut): Promise<RowPage<ThreadRow["thread"]>>;
  readMessages(tenant: string, threadId: string, selection: MessageSelection): Promise<MessageRows>;
  /** The newest at or before a version. */
  loadSnapshot(
    tenant: string,
    threadId: string,
    version: number | undefined,
  ): Promise<{ readonly version: number; readonly state: StoredText } | undefined>;
  readPatches(
    tenant: string,
    threadId: string,
    range: { readonly after: number; readonly upTo: number | undefined },
  ): Promise<readonly PatchRow[]>;
  readCommits(
    tenant: string,
    threadId: string,
    range: { readonly after: number; readonly limit: number },
  ): Promise<readonly CommitRow[]>;
  loadRun(tenant: string, runId: string): Promise<RunRow | undefined>;
  /** Newest first; of two made at the same time the one stored later comes first. */
  listRuns(tenant: string, query: RunQuery, cut: Cut): Promise<RowPage<RunRow["record"]>>;
  /** The commits of a run or of a thread that changed calls, oldest first. */
  readCalls(
    tenant: string,
    of: { readonly run_id: string } | { readonly thread_id: string },
  ): Promise<readonly CallsRow[]>;
  /** Suspended calls in the order in which they were suspended. */
  listSuspended(tenant: string, query: Omit<CallQuery, "status">, cut: Cut): Promise<RowPage<CallRow>>;
  /** The runs of a tenant that are not done, oldest first. */
  listOpenRuns(tenant: string): Promise<readonly RunRow[]>;
  loadDecision(
    tenant: string,
    runId: string,
    callId: string,
    suspension: number,
  ): Promise<DecisionRow["decision"] | undefined>;
  readInbox(tenant: string, threadId: string, runId: string): Promise<InboxRows>;
  /** The commits with events of a run after `seq`, in order; the first `limit` of them when it is given. */
  readEvents(tenant: string, runId: string, afterSeq: number, limit: number | undefined): Promise<readonly EventRow[]>;
  lastSeqOfEpoch(tenant: string, runId: string, epoch: number): Promise<number>;
  /** In order of arrival. */
  listEntries(tenant: string, query: EntryQuery, cut: Cut): Promise<RowPage<EntryRow>>;
}
