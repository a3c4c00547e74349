import type {
  CallQuery,
  EntryQuery,
  MessageQuery,
  RunQuery,
  TenantThread,
  ThreadPlace,
  ThreadQuery,
} from "@reprise/contracts";
import type { StoredChangeset, StoredMessage, StoredSegment } from "../codec/open-changeset.ts";
import type { StoredText } from "../codec/stored-text.ts";
import type { CallRow, DecisionRow, EntryRow, RunRow, ThreadRow } from "../kernel/rows.ts";

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

export interface PositionedMessage extends StoredMessage {
  readonly position: number;
  readonly is_superseded: boolean;
}

/** Which messages of a thread: positions from `first` to `last`, both included. */
export interface MessageSelection extends Pick<Required<MessageQuery>, "order" | "visibility" | "include_superseded"> {
  readonly first: number;
  readonly last: number;
  readonly run_id?: string;
  readonly limit: number;
}

/** The messages of one commit belong to its segments: events point at their texts. */
export interface SegmentWithMessages {
  readonly thread_id: string;
  readonly segment: StoredSegment;
  readonly messages: readonly StoredMessage[];
}

/** What came for a run of a thread. */
export interface InboxRows {
  /** Nobody has used them; in order of arrival. */
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
  pageThreads(after: ThreadPlace | undefined, limit: number): Promise<readonly TenantThread[]>;
  /** Newest first. */
  listThreads(tenant: string, query: ThreadQuery, cut: Cut): Promise<RowPage<ThreadRow["thread"]>>;
  listMessages(tenant: string, threadId: string, selection: MessageSelection): Promise<readonly PositionedMessage[]>;
  /** The messages that one version brought, in order. */
  readMessagesOf(tenant: string, threadId: string, version: number): Promise<readonly StoredMessage[]>;
  /** All messages from a position on, in order. */
  readMessages(tenant: string, threadId: string, from: number): Promise<readonly PositionedMessage[]>;
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
  ): Promise<readonly { readonly version: number; readonly run_id: string | null; readonly patches: StoredText }[]>;
  readChangesets(
    tenant: string,
    threadId: string,
    range: { readonly after: number; readonly limit: number },
  ): Promise<readonly StoredChangeset[]>;
  loadRun(tenant: string, runId: string): Promise<RunRow["record"] | undefined>;
  /** Newest first; of two made at the same time the one stored later comes first. */
  listRuns(tenant: string, query: RunQuery, cut: Cut): Promise<RowPage<RunRow["record"]>>;
  loadCall(tenant: string, runId: string, callId: string): Promise<CallRow | undefined>;
  /** In the order they were first stored. */
  listCalls(tenant: string, query: CallQuery, cut: Cut): Promise<RowPage<CallRow>>;
  loadDecision(
    tenant: string,
    runId: string,
    callId: string,
    suspension: number,
  ): Promise<DecisionRow["decision"] | undefined>;
  readInbox(tenant: string, threadId: string, runId: string): Promise<InboxRows>;
  /** The segments of a run with an event after `seq`, in order; the first `limit` of them when it is given. */
  readSegments(
    tenant: string,
    runId: string,
    afterSeq: number,
    limit: number | undefined,
  ): Promise<readonly SegmentWithMessages[]>;
  lastSeqOfEpoch(tenant: string, runId: string, epoch: number): Promise<number>;
  /** In order of arrival. */
  listEntries(tenant: string, query: EntryQuery, cut: Cut): Promise<RowPage<EntryRow>>;
}
