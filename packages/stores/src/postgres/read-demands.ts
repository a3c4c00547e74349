import { type DecisionColumns, fromDecisionColumns } from "../codec/columns/decision-columns.ts";
import { type EntryColumns, fromEntryColumns } from "../codec/columns/entry-columns.ts";
import { fromRunColumns, type RunColumns } from "../codec/columns/run-columns.ts";
import { fromThreadColumns, type MetadataColumns, type ThreadColumns } from "../codec/columns/thread-columns.ts";
import { escapeText, unescapeText } from "../codec/escape-text.ts";
import { callIdKey, idKey } from "../codec/id-key.ts";
import { openCalls } from "../codec/open-commit.ts";
import type { CallKey, QueueRows, ThreadDemand, ThreadRows } from "../kernel/demand.ts";
import { NO_QUEUE } from "../kernel/held-write.ts";
import type { CallRow, DecisionRow, SupersededRange } from "../kernel/rows.ts";
import {
  LOCK_THREADS,
  READ_CALLS,
  READ_DECISIONS,
  READ_DEDUPED,
  READ_ENTRIES,
  READ_ENTRIES_OF_RUNS,
  READ_HEADS,
  READ_IDS,
  READ_OPEN_RUNS,
  READ_OVER,
  READ_PENDING,
  READ_PENDING_DECISIONS,
  READ_QUEUED,
  READ_RUNS,
  READ_SUPERSEDED,
  READ_THREADS,
  READ_VALUES,
} from "./demand-statements.ts";
import { storedId } from "./hostile-values.ts";
import type { Results } from "./session.ts";
import type { Query } from "./statement.ts";
import type { RowsQuery } from "./table.ts";

/** A demand on a thread whose id is known. */
export interface DemandOnThread {
  readonly demand: ThreadDemand;
  readonly thread_id: string;
}

/** What a demand brought. Opening it throws when a row of it is damaged. */
export interface DemandedRows {
  /** The time at the server, after the threads were locked. */
  readonly now: number;
  open(): ThreadRows;
}

type ThreadRecord = ThreadColumns & MetadataColumns;
type RunRecordColumns = RunColumns & { readonly thread_id: string };
type CallsColumns = Parameters<typeof openCalls>[0] & { readonly version: number; readonly part: number };
type DecisionRecord = DecisionColumns & { readonly run_id: string };
type EntryRecord = EntryColumns & { readonly thread_id: string };

interface Values {
  readonly next_at: number | null;
  readonly next_continue_at: number | null;
  readonly first_agent: string | null;
  readonly last_agent: string | null;
  readonly retired_epoch: number | null;
  readonly now: number;
}

/** Where the thread has something, by what it is and by its key. */
interface FoundId {
  readonly kind: string;
  readonly id: string;
  readonly number: number;
}

/** The rows of one demand, by what they are. */
interface Found {
  values?: Values;
  thread?: ThreadRecord;
  readonly runs: RunRecordColumns[];
  readonly calls: CallsColumns[];
  readonly decisions: DecisionRecord[];
  readonly entries: EntryRecord[];
  readonly ids: FoundId[];
  readonly superseded: SupersededRange[];
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
 * first locks the threads, unless the demand is a plain read. `now` is needed for demands of queue heads only.
 */
export class DemandRead {
  readonly #demands: readonly DemandOnThread[];
  readonly #parts: readonly Part[];

  constructor(demands: readonly DemandOnThread[], { now, onlyLooks = false }: ReadOptions = {}) {
    this.#demands = demands;
    this.#parts = partsOf(demands, now, onlyLooks ? READ_THREADS : LOCK_THREADS);
  }

  get queries(): readonly Query[] {
    return this.#parts.map(({ query }) => query);
  }

  /** One for each demand, in their order. `results` are those of the queries. */
  take(results: Results): readonly DemandedRows[] {
    const all = this.#demands.map(nothing);
    for (const [index, { take }] of this.#parts.entries()) {
      for (const row of results[index] ?? []) {
        const found = all[Number(row.n)];
        if (found !== undefined) take(found, row);
      }
    }
    return this.#demands.map(({ demand }, index) => {
      const found = all[index] ?? nothing();
      return { now: found.values?.now ?? 0, open: () => openRows(demand, found) };
    });
  }
}

function nothing(): Found {
  return { runs: [], calls: [], decisions: [], entries: [], ids: [], superseded: [] };
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
  calls: (found: Found, row: unknown) => found.calls.push(row as CallsColumns),
  decision: (found: Found, row: unknown) => found.decisions.push(row as DecisionRecord),
  entry: (found: Found, row: unknown) => found.entries.push(row as EntryRecord),
  id: (found: Found, row: unknown) => found.ids.push(row as FoundId),
  superseded: (found: Found, row: unknown) => found.superseded.push(row as SupersededRange),
} as const;

function partsOf(demands: readonly DemandOnThread[], now: number | undefined, readThreads: RowsQuery): readonly Part[] {
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
    ...when(each(callsOf), READ_CALLS, take.calls),
    ...when(each(decisionsOf), READ_DECISIONS, take.decision),
    ...when(each(whoAsks("pending_decisions")), READ_PENDING_DECISIONS, take.decision),
    ...when(each(idsOf), READ_IDS, take.id),
    ...when(each(whoAsks("superseded_ids")), READ_SUPERSEDED, take.superseded),
    // Entries last: a thread that does not exist yet cannot be locked, and a reader that sees the result of a submission must see its entry.
    ...when(each(entriesOf), READ_ENTRIES, take.entry),
    ...when(each(entriesOfRuns), READ_ENTRIES_OF_RUNS, take.entry),
    ...when(each(dedupedOf), READ_DEDUPED, take.entry),
    ...when(each(whoAsks("queued_runs")), READ_QUEUED, take.entry),
    ...when(each(overOf), READ_OVER, take.entry),
    ...(now === undefined ? [] : when(each(whoAsks("heads")), (rows) => READ_HEADS(rows, now), take.entry)),
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

/** The threads of demands that ask for something. */
function whoAsks(name: keyof ThreadDemand): (demand: ThreadDemand, thread: AskedThread) => readonly AskedThread[] {
  return (demand, thread) => (demand[name] === undefined ? [] : [thread]);
}

const runsOf = ({ run_ids = [] }: ThreadDemand, { n, tenant }: AskedThread) =>
  run_ids.map((id) => ({ n, tenant, run_id: escapeText(id) }));

const callsOf = ({ calls = [] }: ThreadDemand, thread: AskedThread) =>
  calls.map((call) => ({ ...thread, run_id: escapeText(call.run_id), id: callIdKey(call) }));

/** A suspension that is no whole number is none: nothing can be stored under it. */
const decisionsOf = ({ decisions = [] }: ThreadDemand, { n, tenant }: AskedThread) =>
  decisions
    .filter(({ suspension }) => Number.isSafeInteger(suspension))
    .map(({ run_id, call_id, suspension }) => {
      return { n, tenant, run_id: escapeText(run_id), call_key: idKey(call_id), suspension };
    });

const entriesOf = ({ entry_ids = [] }: ThreadDemand, { n, tenant }: AskedThread) =>
  entry_ids.map((id) => ({ n, tenant, entry_id: escapeText(id) }));

const entriesOfRuns = ({ entry_run_ids = [] }: ThreadDemand, { n, tenant }: AskedThread) =>
  entry_run_ids.map((id) => ({ n, tenant, run_id: escapeText(id) }));

const dedupedOf = ({ dedupe_key: key }: ThreadDemand, thread: AskedThread) =>
  key === undefined ? [] : [{ ...thread, dedupe_id: idKey(key) }];

const overOf = ({ over_entries: over }: ThreadDemand, thread: AskedThread) =>
  over === undefined ? [] : [{ ...thread, before: over.before, at_most: over.limit }];

/** Each once: what is superseded may be among the messages that are asked for. */
const idsOf = ({ changeset_ids = [], message_ids = [], superseded_ids = [] }: ThreadDemand, thread: AskedThread) => [
  ...changeset_ids.map((id) => ({ ...thread, kind: "changeset", id: idKey(id) })),
  ...[...new Set([...message_ids, ...superseded_ids])].map((id) => ({ ...thread, kind: "message", id: idKey(id) })),
];

function openRows(demand: ThreadDemand, found: Found): ThreadRows {
  const { values, thread } = found;
  const runs = new Map(found.runs.map((row) => [row.run_id, row]));
  const entries = new Map(found.entries.map((row) => [row.entry_id, row]));
  const { changeset_ids = [], message_ids = [], superseded_ids = [] } = demand;
  return {
    ...(thread === undefined ? {} : { thread: fromThreadColumns(thread) }),
    retired_epoch: values?.retired_epoch ?? 0,
    known_versions: numbersOf(found, "changeset", changeset_ids),
    message_ids: [...numbersOf(found, "message", message_ids).keys()],
    runs: Array.from(runs.values(), fromRunColumns),
    calls: callsAmong(found.calls, demand.calls ?? []),
    decisions: openDecisions(found.decisions),
    entries: Array.from(entries.values(), fromEntryColumns),
    queue: queueOf(values),
    positions: numbersOf(found, "message", superseded_ids),
    superseded: found.superseded.map(({ first_position, last_position, version }) => {
      return { first_position, last_position, version };
    }),
  };
}

function queueOf(values: Values | undefined): QueueRows {
  if (values === undefined) return NO_QUEUE;
  const { next_at, next_continue_at, first_agent, last_agent } = values;
  return {
    next_at,
    next_continue_at,
    first_agent: first_agent === null ? null : unescapeText(first_agent),
    last_agent: last_agent === null ? null : unescapeText(last_agent),
  };
}

/** Those of the ids that were found, with their numbers. */
function numbersOf({ ids }: Found, kind: string, asked: readonly string[]): ReadonlyMap<string, number> {
  const numbers = new Map(ids.filter((row) => row.kind === kind).map(({ id, number }) => [id, number]));
  return new Map(
    asked.flatMap((id) => {
      const number = numbers.get(idKey(id));
      return number === undefined ? [] : [[id, number] as const];
    }),
  );
}

/** The calls that were asked for, as the last of these commits left them. */
function callsAmong(commits: readonly CallsColumns[], asked: readonly CallKey[]): readonly CallRow[] {
  const inOrder = commits.toSorted((one, other) => one.version - other.version || one.part - other.part);
  const calls = new Map(inOrder.flatMap(openCalls).map((call) => [callIdKey(call), call]));
  return asked.flatMap((key) => calls.get(callIdKey(key)) ?? []);
}

/** One that was asked for may be pending as well. */
function openDecisions(columns: readonly DecisionRecord[]): readonly DecisionRow[] {
  const rows = columns.map(fromDecisionColumns);
  const keyOf = ({ decision: { run_id, call_id, suspension } }: DecisionRow): string =>
    JSON.stringify([run_id, call_id, suspension]);
  return [...new Map(rows.map((row) => [keyOf(row), row])).values()];
}
