import { askFor, type Columns, columnsOf, eachOf, NOW, type RowsQuery } from "./table.ts";
import { DECISION, DECISION_KEY, ENTRY, ENTRY_KEY, METADATA, RUN, RUN_KEY, THREAD, THREAD_KEY } from "./tables.ts";

/** Which of the operations of a batch asks. */
const NUMBERED: Columns = { n: "int4" };

export const THREAD_COLUMNS: string = columnsOf("threads", { ...THREAD, ...METADATA });
/** Beside the runs stand their threads, as `threads`. */
export const RUN_COLUMNS: string = `${columnsOf("run_records", RUN)}, threads.thread_id`;
export const DECISION_COLUMNS: string = columnsOf("decisions", DECISION);
export const ENTRY_COLUMNS: string = columnsOf("entries", ENTRY);

/** The thread of a row that has its number. */
export const threadOfRow = (table: string): string => `join threads on threads.key = ${table}.thread_key`;

const THREAD_OF_WANTED = "threads on threads.tenant = wanted.tenant and threads.thread_id = wanted.thread_id";

const threadsOf = (wanted: string): string => `select wanted.n, ${THREAD_COLUMNS} from ${wanted}
    join ${THREAD_OF_WANTED}`;

/** Locks the threads of a batch, always in the same order, so that two batches never wait for each other. */
export const LOCK_THREADS: RowsQuery = askFor(
  { ...NUMBERED, ...THREAD_KEY },
  (wanted) => `${threadsOf(wanted)} order by threads.tenant, threads.thread_id for update of threads`,
);

/** The same threads, for plain reads. */
export const READ_THREADS: RowsQuery = askFor({ ...NUMBERED, ...THREAD_KEY }, threadsOf);

/**
 * The single values of an operation. Every operation gets a row. The time is read after the threads were locked, so that a process
 * that waited for the locks acts later than the one that held them.
 */
export const READ_VALUES: RowsQuery = askFor(
  { ...NUMBERED, ...THREAD_KEY },
  (wanted) => `select wanted.n,
    (select min(available_at) from entries where entries.thread_key = threads.key and place = 'run') as next_at,
    (select min(available_at) from entries where entries.thread_key = threads.key
      and place = 'run' and busy_policy = 'continue') as next_continue_at,
    (select agent_id from entries where entries.thread_key = threads.key and place = 'run'
      order by md5(agent_id) limit 1) as first_agent,
    (select agent_id from entries where entries.thread_key = threads.key and place = 'run'
      order by md5(agent_id) desc limit 1) as last_agent,
    (select epoch from retired_epochs where retired_epochs.tenant = wanted.tenant
      and retired_epochs.thread_id = wanted.thread_id) as retired_epoch,
    ${NOW} as now
    from ${wanted} left join ${THREAD_OF_WANTED}`,
);

/** The runs that are asked for. */
export const READ_RUNS: RowsQuery = askFor(
  { ...NUMBERED, ...RUN_KEY },
  (wanted) => `select wanted.n, ${RUN_COLUMNS} from ${wanted}
    join run_records on run_records.tenant = wanted.tenant and run_records.run_id = wanted.run_id
    ${threadOfRow("run_records")}`,
);

/** The run that is open on the thread beside it. */
const OPEN_RUN_OF_THREAD: string = eachOf(
  "run_records",
  "run_records.tenant = threads.tenant and run_records.run_id = threads.open_run_id",
);

/** The open runs of threads. */
export const READ_OPEN_RUNS: RowsQuery = askFor(
  { ...NUMBERED, ...THREAD_KEY },
  (wanted) => `select wanted.n, ${RUN_COLUMNS} from ${wanted} join ${THREAD_OF_WANTED} ${OPEN_RUN_OF_THREAD}`,
);

/** The commits that changed calls of runs, from the first one that had any of the calls that are asked for. */
export const READ_CALLS: RowsQuery = askFor(
  { ...NUMBERED, ...THREAD_KEY, run_id: "text", id: "text" },
  (wanted) => `select found.n, commits.version, commits.part, commits.format, commits.checksums, commits.calls from (
      select wanted.n, threads.key, run_records.last_version, min(thread_ids.number) as first_version from ${wanted}
      join ${THREAD_OF_WANTED}
      ${eachOf("thread_ids", "thread_ids.thread_key = threads.key and kind = 'call' and thread_ids.id = wanted.id")}
      ${eachOf("run_records", "run_records.tenant = wanted.tenant and run_records.run_id = wanted.run_id")}
      group by wanted.n, threads.key, run_records.last_version) as found
    ${eachOf(
      "commits",
      `commits.thread_key = found.key and commits.version >= found.first_version
       and commits.version <= found.last_version and commits.calls <> '[]'`,
    )}`,
);

export const READ_DECISIONS: RowsQuery = askFor(
  { ...NUMBERED, ...DECISION_KEY },
  (wanted) => `select wanted.n, ${DECISION_COLUMNS} from ${wanted}
    join decisions on decisions.tenant = wanted.tenant and decisions.run_id = wanted.run_id
      and decisions.call_key = wanted.call_key and decisions.suspension = wanted.suspension`,
);

/** The decisions on the open runs of threads that no commit has used. */
export const READ_PENDING_DECISIONS: RowsQuery = askFor(
  { ...NUMBERED, ...THREAD_KEY },
  (wanted) => `select wanted.n, ${DECISION_COLUMNS} from ${wanted} join ${THREAD_OF_WANTED}
    ${eachOf(
      "decisions",
      `decisions.tenant = threads.tenant and decisions.run_id = threads.open_run_id and decisions.is_pending = 1
       order by decisions.key`,
    )}`,
);

/** Where threads have changesets and messages. */
export const READ_IDS: RowsQuery = askFor(
  { ...NUMBERED, ...THREAD_KEY, kind: "text", id: "text" },
  (wanted) => `select wanted.n, wanted.kind, wanted.id, thread_ids.number from ${wanted} join ${THREAD_OF_WANTED}
    ${eachOf(
      "thread_ids",
      "thread_ids.thread_key = threads.key and thread_ids.kind = wanted.kind and thread_ids.id = wanted.id",
    )}`,
);

/** The superseded messages of threads. */
export const READ_SUPERSEDED: RowsQuery = askFor(
  { ...NUMBERED, ...THREAD_KEY },
  (wanted) => `select wanted.n, superseded.first_position, superseded.last_position, superseded.version from ${wanted}
    join ${THREAD_OF_WANTED} ${eachOf("superseded", "superseded.thread_key = threads.key")}`,
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
     and not exists (select from run_records
       where run_records.tenant = wanted.tenant and run_records.run_id = wanted.run_id)`,
  ),
);

export const READ_DEDUPED: RowsQuery = askFor({ ...NUMBERED, ...THREAD_KEY, dedupe_id: "text" }, (wanted) =>
  entriesOfThread(wanted, "entries.dedupe_id = wanted.dedupe_id"),
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
  (select thread_key from run_records where tenant = $1 and run_id = $2),
  (select thread_key from entries where run_id = $2 and tenant is not distinct from $1 and kind = 'run' limit 1))`;
