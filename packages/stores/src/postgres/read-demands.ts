import { checksumOf } from "../codec/checksum.ts";
import { type CallColumns, fromCallColumns } from "../codec/columns/call-columns.ts";
import { type DecisionColumns, fromDecisionColumns } from "../codec/columns/decision-columns.ts";
import { type EntryColumns, fromEntryColumns } from "../codec/columns/entry-columns.ts";
import { fromRunColumns, type RunColumns } from "../codec/columns/run-columns.ts";
import { fromThreadColumns, type MetadataColumns, type ThreadColumns } from "../codec/columns/thread-columns.ts";
import { escapeText, unescapeText } from "../codec/escape-text.ts";
import type { ThreadDemand, ThreadRows } from "../kernel/demand.ts";
import {
  LOCK_THREADS,
  READ_CALLS,
  READ_DECISIONS,
  READ_DEDUPED,
  READ_ENTRIES,
  READ_ENTRIES_OF_RUNS,
  READ_HEADS,
  READ_MESSAGE_IDS,
  READ_OPEN_RUNS,
  READ_OVER,
  READ_PENDING,
  READ_QUEUED,
  READ_RUNS,
  READ_THREADS,
  READ_VALUES,
  READ_VERSIONS,
} from "./demand-statements.ts";
import type { StoredNumbers } from "./filing.ts";
import { storedId } from "./hostile-values.ts";
import type { Results } from "./session.ts";
import type { Query } from "./statement.ts";
import type { RowsQuery } from "./table.ts";

/** A demand on a thread whose id is known. */
export interface PlacedDemand {
  readonly demand: ThreadDemand;
  readonly thread_id: string;
}

/** What a demand brought. Opening it throws when a row of it is damaged. */
export interface DemandedRows extends StoredNumbers {
  /** The time at the server, after the threads were locked. */
  readonly now: number;
  open(): ThreadRows;
}

type Numbered<Columns> = Columns & { readonly key: number };
type ThreadRecord = Numbered<ThreadColumns & MetadataColumns>;
type RunRecordColumns = Numbered<RunColumns & { readonly thread_id: string; readonly last_seq: number | null }>;
type CallRecord = CallColumns & { readonly run_id: string; readonly thread_id: string };
type DecisionRecord = DecisionColumns & { readonly run_id: string };
type EntryRecord = EntryColumns & { readonly thread_id: string };

interface Values {
  readonly next_at: number | null;
  readonly next_continue_at: number | null;
  readonly retired_epoch: number | null;
  readonly now: number;
}

interface KnownVersion {
  readonly changeset_id: string;
  readonly version: number;
}

/** The rows of one demand, by what they are. */
interface Found {
  values?: Values;
  thread?: ThreadRecord;
  readonly runs: RunRecordColumns[];
  readonly calls: CallRecord[];
  readonly decisions: DecisionRecord[];
  readonly entries: EntryRecord[];
  readonly messages: { readonly id: string }[];
  readonly versions: KnownVersion[];
}

/** A query, and where its rows go. */
interface Part {
  readonly query: Query;
  readonly take: (found: Found, row: unknown) => void;
}

interface ReadOptions {
  readonly now?: number;
  readonly onlyLooks?: boolean;
}

/**
 * The queries for the rows of all demands, to be sent together in a transaction, and the way to tell the answers apart. The
 * first locks the threads, unless somebody only looks. `now` is needed for demands of queue heads only.
 */
export class DemandRead {
  readonly #demands: readonly PlacedDemand[];
  readonly #parts: readonly Part[];

  constructor(demands: readonly PlacedDemand[], { now, onlyLooks = false }: ReadOptions = {}) {
    this.#demands = demands;
    this.#parts = partsOf(demands, now, onlyLooks ? READ_THREADS : LOCK_THREADS);
  }

  get queries(): readonly Query[] {
    return this.#parts.map(({ query }) => query);
  }

  /** One for each demand, in their order. `results` are those of the queries. */
  take(results: Results): readonly DemandedRows[] {
    const all: Found[] = this.#demands.map(() => ({
      runs: [],
      calls: [],
      decisions: [],
      entries: [],
      messages: [],
      versions: [],
    }));
    for (const [index, { take }] of this.#parts.entries()) {
      for (const row of results[index] ?? []) {
        const found = all[Number(row.n)];
        if (found !== undefined) take(found, row);
      }
    }
    return all.map((found) => ({
      now: found.values?.now ?? 0,
      threadKey: found.thread?.key,
      runKeys: runKeysOf(found),
      open: () => openRows(found),
    }));
  }
}

// Which columns a row has is said by the statement it came from.
const take = {
  thread: (found: Found, row: unknown) => {
    found.thread = row as ThreadRecord;
  },
  values: (found: Found, row: unknown) => {
    found.values = row as Values;
  },
  run: (found: Found, row: unknown) => found.runs.push(row as RunRecordColumns),
  call: (found: Found, row: unknown) => found.calls.push(row as CallRecord),
  decision: (found: Found, row: unknown) => found.decisions.push(row as DecisionRecord),
  entry: (found: Found, row: unknown) => found.entries.push(row as EntryRecord),
  message: (found: Found, row: unknown) => found.messages.push(row as { readonly id: string }),
  version: (found: Found, row: unknown) => found.versions.push(row as KnownVersion),
} as const;

function partsOf(demands: readonly PlacedDemand[], now: number | undefined, readThreads: RowsQuery): readonly Part[] {
  const threads = demands.map(({ demand, thread_id }, n) => ({
    n,
    tenant: demand.tenant,
    thread_id: storedId(thread_id),
  }));
  const each = <Row>(
    pick: (demand: ThreadDemand, thread: (typeof threads)[number]) => readonly Row[],
  ): readonly Row[] =>
    demands.flatMap(({ demand }, n) => {
      const thread = threads[n];
      return thread === undefined ? [] : pick(demand, thread);
    });
  // What a fork is made of is locked with the rest; it is read afterwards.
  const sources = each(({ history }, { tenant }) =>
    history === undefined ? [] : [{ n: -1, tenant, thread_id: storedId(history.thread_id) }],
  );
  return [
    { query: readThreads([...threads, ...sources]), take: take.thread },
    { query: READ_VALUES(threads), take: take.values },
    { query: READ_OPEN_RUNS(threads), take: take.run },
    { query: READ_PENDING(threads), take: take.entry },
    ...when(each(runsOf), READ_RUNS, take.run),
    ...when(each(callsOf), READ_CALLS, take.call),
    ...when(each(decisionsOf), READ_DECISIONS, take.decision),
    ...when(each(messagesOf), READ_MESSAGE_IDS, take.message),
    ...when(each(changesetsOf), READ_VERSIONS, take.version),
    // Entries last: a thread that is not there yet cannot be locked, and whoever sees what a submission brought must see the entry.
    ...when(each(entriesOf), READ_ENTRIES, take.entry),
    ...when(each(entriesOfRuns), READ_ENTRIES_OF_RUNS, take.entry),
    ...when(each(dedupedOf), READ_DEDUPED, take.entry),
    ...when(
      each(({ queued_runs }, thread) => (queued_runs === undefined ? [] : [thread])),
      READ_QUEUED,
      take.entry,
    ),
    ...when(each(overOf), READ_OVER, take.entry),
    ...(now === undefined
      ? []
      : when(
          each(({ heads }, thread) => (heads === undefined ? [] : [thread])),
          (rows) => READ_HEADS(rows, now),
          take.entry,
        )),
  ];
}

/** A part only when there is something to ask. */
function when<Row>(
  rows: readonly Row[],
  query: (rows: readonly Row[]) => Query,
  taking: Part["take"],
): readonly Part[] {
  return rows.length === 0 ? [] : [{ query: query(rows), take: taking }];
}

type AskedThread = { readonly n: number; readonly tenant: string; readonly thread_id: string };

const runsOf = ({ run_ids = [] }: ThreadDemand, { n, tenant }: AskedThread) =>
  run_ids.map((id) => ({ n, tenant, run_id: escapeText(id) }));

const callsOf = ({ calls = [] }: ThreadDemand, { n, tenant }: AskedThread) =>
  calls.map(({ run_id, call_id }) => ({ n, tenant, run_id: escapeText(run_id), call_id: escapeText(call_id) }));

/** A suspension that is no whole number is none: nothing can be stored under it. */
const decisionsOf = ({ decisions = [] }: ThreadDemand, { n, tenant }: AskedThread) =>
  decisions
    .filter(({ suspension }) => Number.isSafeInteger(suspension))
    .map(({ run_id, call_id, suspension }) => {
      return { n, tenant, run_id: escapeText(run_id), call_id: escapeText(call_id), suspension };
    });

const entriesOf = ({ entry_ids = [] }: ThreadDemand, { n, tenant }: AskedThread) =>
  entry_ids.map((id) => ({ n, tenant, entry_id: escapeText(id) }));

const entriesOfRuns = ({ entry_run_ids = [] }: ThreadDemand, { n, tenant }: AskedThread) =>
  entry_run_ids.map((id) => ({ n, tenant, run_id: escapeText(id) }));

const dedupedOf = ({ dedupe_key: key }: ThreadDemand, thread: AskedThread) => {
  if (key === undefined) return [];
  const dedupe_key = escapeText(key);
  return [{ ...thread, dedupe_hash: checksumOf(dedupe_key), dedupe_key }];
};

const overOf = ({ over_entries: over }: ThreadDemand, thread: AskedThread) =>
  over === undefined ? [] : [{ ...thread, before: over.before, at_most: over.limit }];

const changesetsOf = ({ changeset_ids = [] }: ThreadDemand, thread: AskedThread) =>
  changeset_ids.map((changeset_id) => ({ ...thread, id_hash: checksumOf(changeset_id), changeset_id }));

const messagesOf = ({ message_ids = [] }: ThreadDemand, thread: AskedThread) =>
  message_ids.map((messageId) => {
    const id = escapeText(messageId);
    return { ...thread, id_hash: checksumOf(id), id };
  });

/** Of the thread's own runs: nothing of it is filed under others. */
function runKeysOf({ thread, runs }: Found): ReadonlyMap<string, number> {
  const own = runs.filter(({ thread_id }) => thread_id === thread?.thread_id);
  return new Map(own.map(({ run_id, key }) => [unescapeText(run_id), key]));
}

function openRows(found: Found): ThreadRows {
  const { values, thread } = found;
  const runs = new Map(found.runs.map((row) => [row.run_id, row]));
  const entries = new Map(found.entries.map((row) => [row.entry_id, row]));
  return {
    ...(thread === undefined ? {} : { thread: fromThreadColumns(thread) }),
    retired_epoch: values?.retired_epoch ?? 0,
    known_versions: new Map(found.versions.map(({ changeset_id, version }) => [changeset_id, version])),
    message_ids: found.messages.map(({ id }) => unescapeText(id)),
    runs: Array.from(runs.values(), (row) => ({ record: fromRunColumns(row), last_seq: row.last_seq ?? 0 })),
    calls: found.calls.map(fromCallColumns),
    decisions: found.decisions.map(fromDecisionColumns),
    entries: Array.from(entries.values(), fromEntryColumns),
    queue: { next_at: values?.next_at ?? null, next_continue_at: values?.next_continue_at ?? null },
  };
}
