import { eachOf } from "./owners.ts";
import { askFor, type Columns, columnsOf, type RowsQuery } from "./table.ts";
import {
  CALL,
  CALL_KEY,
  DECISION,
  DECISION_KEY,
  ENTRY,
  ENTRY_KEY,
  METADATA,
  RUN,
  RUN_KEY,
  THREAD,
  THREAD_KEY,
} from "./tables.ts";

/** Which of the operations of a batch asks. */
const NUMBERED: Columns = { n: "int4" };

export const THREAD_COLUMNS: string = columnsOf("threads", { ...THREAD, ...METADATA });
/** Beside the runs stand their threads, as `threads`. */
export const RUN_COLUMNS: string = `${columnsOf("runs", RUN)}, threads.thread_id`;
/** Beside the calls their runs too. */
export const CALL_COLUMNS: string = `${columnsOf("calls", CALL)}, runs.run_id, threads.thread_id`;
export const DECISION_COLUMNS: string = columnsOf("decisions", DECISION);
export const ENTRY_COLUMNS: string = columnsOf("entries", ENTRY);

/** The thread of a row that has its number. */
export const threadOfRow = (table: string): string => `join threads on threads.key = ${table}.thread_key`;

/** The last `seq` of a run's journal. */
export const LAST_SEQ = "(select max(last_seq) from segments where segments.run_key = runs.key) as last_seq";

/** In milliseconds. Read after the threads are locked: whoever waited for them acts later than whoever held them. */
export const NOW = "floor(extract(epoch from clock_timestamp()) * 1000)::float8";

const THREAD_OF_WANTED = "threads on threads.tenant = wanted.tenant and threads.thread_id = wanted.thread_id";

const threadsOf = (wanted: string): string => `select wanted.n, threads.key, ${THREAD_COLUMNS} from ${wanted}
    join ${THREAD_OF_WANTED}`;

/** Locks the threads of a batch, always in the same order, so that two batches never wait for each other. */
export const LOCK_THREADS: RowsQuery = askFor(
  { ...NUMBERED, ...THREAD_KEY },
  (wanted) => `${threadsOf(wanted)} order by threads.tenant, threads.thread_id for update of threads`,
);

/** The same threads for somebody who only looks. */
export const READ_THREADS: RowsQuery = askFor({ ...NUMBERED, ...THREAD_KEY }, threadsOf);

/** What is one value an operation. Every operation gets a row. */
export const READ_VALUES: RowsQuery = askFor(
  { ...NUMBERED, ...THREAD_KEY },
  (wanted) => `select wanted.n,
    (select min(available_at) from entries where entries.thread_key = threads.key and place = 'run') as next_at,
    (select min(available_at) from entries where entries.thread_key = threads.key
      and place = 'run' and busy_policy = 'continue') as next_continue_at,
    (select epoch from retired_epochs where retired_epochs.tenant = wanted.tenant
      and retired_epochs.thread_id = wanted.thread_id) as retired_epoch,
    ${NOW} as now
    from ${wanted} left join ${THREAD_OF_WANTED}`,
);

/** The runs that are asked for. */
export const READ_RUNS: RowsQuery = askFor(
  { ...NUMBERED, ...RUN_KEY },
  (wanted) => `select wanted.n, runs.key, ${RUN_COLUMNS}, ${LAST_SEQ} from ${wanted}
    join runs on runs.tenant = wanted.tenant and runs.run_id = wanted.run_id ${threadOfRow("runs")}`,
);

/** The run that is open on the thread beside it. */
export const OPEN_RUN_OF_THREAD: string = eachOf(
  "runs",
  "runs.tenant = threads.tenant and runs.run_id = threads.open_run_id",
);

/** The open runs of threads. */
export const READ_OPEN_RUNS: RowsQuery = askFor(
  { ...NUMBERED, ...THREAD_KEY },
  (wanted) => `select wanted.n, runs.key, ${RUN_COLUMNS}, ${LAST_SEQ} from ${wanted}
    join ${THREAD_OF_WANTED} ${OPEN_RUN_OF_THREAD}`,
);

export const READ_CALLS: RowsQuery = askFor(
  { ...NUMBERED, ...CALL_KEY },
  (wanted) => `select wanted.n, ${CALL_COLUMNS} from ${wanted}
    join runs on runs.tenant = wanted.tenant and runs.run_id = wanted.run_id
    ${eachOf("calls", "calls.run_key = runs.key and calls.call_id = wanted.call_id")} ${threadOfRow("calls")}`,
);

export const READ_DECISIONS: RowsQuery = askFor(
  { ...NUMBERED, ...DECISION_KEY },
  (wanted) => `select wanted.n, ${DECISION_COLUMNS} from ${wanted}
    join decisions on decisions.tenant = wanted.tenant and decisions.run_id = wanted.run_id
      and decisions.call_id = wanted.call_id and decisions.suspension = wanted.suspension`,
);

export const READ_VERSIONS: RowsQuery = askFor(
  { ...NUMBERED, ...THREAD_KEY, id_hash: "int4", changeset_id: "text" },
  (wanted) => `select wanted.n, changesets.changeset_id, changesets.version from ${wanted} join ${THREAD_OF_WANTED}
    ${eachOf(
      "changesets",
      `(changesets.thread_key + 0) = threads.key and changesets.id_hash = wanted.id_hash
       and changesets.changeset_id = wanted.changeset_id`,
    )}`,
);

export const READ_MESSAGE_IDS: RowsQuery = askFor(
  { ...NUMBERED, ...THREAD_KEY, id_hash: "int4", id: "text" },
  (wanted) => `select wanted.n, messages.id from ${wanted} join ${THREAD_OF_WANTED}
    ${eachOf(
      "messages",
      `(messages.thread_key + 0) = threads.key and messages.id_hash = wanted.id_hash and messages.id = wanted.id`,
    )}`,
);

/** Entries by a condition. */
const entriesWhere = (wanted: string, condition: string): string =>
  `select wanted.n, threads.thread_id, ${ENTRY_COLUMNS} from ${wanted}
    ${eachOf("entries", condition)} ${threadOfRow("entries")}`;

/** The same for entries of the thread that is wanted. */
const entriesOfThread = (wanted: string, condition: string): string =>
  `select wanted.n, threads.thread_id, ${ENTRY_COLUMNS} from ${wanted} join ${THREAD_OF_WANTED}
    ${eachOf("entries", `entries.thread_key = threads.key and ${condition}`)}`;

/** Entries of threads that wait and are no queued runs. */
export const READ_PENDING: RowsQuery = askFor({ ...NUMBERED, ...THREAD_KEY }, (wanted) =>
  entriesOfThread(wanted, "entries.place in ('wake', 'claimed')"),
);

export const READ_QUEUED: RowsQuery = askFor({ ...NUMBERED, ...THREAD_KEY }, (wanted) =>
  entriesOfThread(wanted, "entries.place = 'run'"),
);

export const READ_ENTRIES: RowsQuery = askFor({ ...NUMBERED, ...ENTRY_KEY }, (wanted) =>
  entriesWhere(wanted, "entries.tenant = wanted.tenant and entries.entry_id = wanted.entry_id"),
);

/** The entries that ask for runs which have not begun. */
export const READ_ENTRIES_OF_RUNS: RowsQuery = askFor({ ...NUMBERED, ...RUN_KEY }, (wanted) =>
  entriesWhere(
    wanted,
    `entries.run_id = wanted.run_id and entries.tenant is not distinct from wanted.tenant and entries.kind = 'run'
     and not exists (select from runs where runs.tenant = wanted.tenant and runs.run_id = wanted.run_id)`,
  ),
);

export const READ_DEDUPED: RowsQuery = askFor(
  { ...NUMBERED, ...THREAD_KEY, dedupe_hash: "int4", dedupe_key: "text" },
  (wanted) =>
    entriesOfThread(wanted, "entries.dedupe_hash = wanted.dedupe_hash and entries.dedupe_key = wanted.dedupe_key"),
);

/** Entries of threads that are over since before a time. */
export const READ_OVER: RowsQuery = askFor(
  { ...NUMBERED, ...THREAD_KEY, before: "float8", at_most: "int8" },
  (wanted) => `select wanted.n, threads.thread_id, entries.* from ${wanted} join ${THREAD_OF_WANTED}
    cross join lateral (select ${ENTRY_COLUMNS} from entries where (entries.thread_key + 0) = threads.key
      and place is null and updated_at < wanted.before limit wanted.at_most) as entries`,
);

/** The heads of queues at a time. */
export const READ_HEADS: RowsQuery = askFor({ ...NUMBERED, ...THREAD_KEY }, (wanted) => {
  const head = (condition: string) => `(select ${ENTRY_COLUMNS} from entries
    where entries.thread_key = threads.key and place = 'run' and ${condition}
    order by priority desc, arrival limit 1)`;
  return `select wanted.n, threads.thread_id, entries.* from ${wanted} join ${THREAD_OF_WANTED} cross join lateral (
    ${head("available_at <= $4::float8")}
    union all ${head("available_at <= $4::float8 and busy_policy = 'continue'")}
    union all ${head("available_at > $4::float8 and attempts > 0")}) as entries`;
});

/** The thread that has a run, or an entry that asks for it. */
export const FIND_THREAD = `select thread_id from threads where key = coalesce(
  (select thread_key from runs where tenant = $1 and run_id = $2),
  (select thread_key from entries where run_id = $2 and tenant is not distinct from $1 and kind = 'run' limit 1))`;
