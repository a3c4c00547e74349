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
export const RUN_COLUMNS: string = columnsOf("runs", RUN);
export const CALL_COLUMNS: string = columnsOf("calls", CALL);
export const DECISION_COLUMNS: string = columnsOf("decisions", DECISION);
export const ENTRY_COLUMNS: string = columnsOf("entries", ENTRY);

/** The last `seq` of a run's journal. */
export const LAST_SEQ =
  "(select max(last_seq) from segments where segments.tenant = runs.tenant and segments.run_id = runs.run_id) as last_seq";

/** In milliseconds. Read after the threads are locked: whoever waited for them acts later than whoever held them. */
export const NOW = "floor(extract(epoch from clock_timestamp()) * 1000)::float8";

/** Locks the threads of a batch, always in the same order, so that two batches never wait for each other. */
export const LOCK_THREADS: RowsQuery = askFor(
  { ...NUMBERED, ...THREAD_KEY },
  (wanted) => `select wanted.n, ${THREAD_COLUMNS} from ${wanted}
    join threads on threads.tenant = wanted.tenant and threads.thread_id = wanted.thread_id
    order by threads.tenant, threads.thread_id for update of threads`,
);

/** What is one value an operation. Every operation gets a row. */
export const READ_VALUES: RowsQuery = askFor(
  { ...NUMBERED, ...THREAD_KEY, id_hash: "int8", changeset_id: "text" },
  (wanted) => `select wanted.n,
    (select min(available_at) from entries where entries.tenant = wanted.tenant
      and entries.thread_id = wanted.thread_id and place = 'run') as next_at,
    (select min(available_at) from entries where entries.tenant = wanted.tenant
      and entries.thread_id = wanted.thread_id and place = 'run' and busy_policy = 'continue') as next_continue_at,
    (select epoch from retired_epochs where retired_epochs.tenant = wanted.tenant
      and retired_epochs.thread_id = wanted.thread_id) as retired_epoch,
    (select version from changesets where changesets.tenant = wanted.tenant
      and changesets.thread_id = wanted.thread_id and changesets.id_hash = wanted.id_hash
      and changesets.changeset_id = wanted.changeset_id) as known_version,
    ${NOW} as now
    from ${wanted}`,
);

/** The runs that are asked for. */
export const READ_RUNS: RowsQuery = askFor(
  { ...NUMBERED, ...RUN_KEY },
  (wanted) => `select wanted.n, ${RUN_COLUMNS}, ${LAST_SEQ} from ${wanted}
    join runs on runs.tenant = wanted.tenant and runs.run_id = wanted.run_id`,
);

/** The open runs of threads. */
export const READ_OPEN_RUNS: RowsQuery = askFor(
  { ...NUMBERED, ...THREAD_KEY },
  (wanted) => `select wanted.n, ${RUN_COLUMNS}, ${LAST_SEQ} from ${wanted}
    join threads on threads.tenant = wanted.tenant and threads.thread_id = wanted.thread_id
    join runs on runs.tenant = threads.tenant and runs.run_id = threads.open_run_id`,
);

export const READ_CALLS: RowsQuery = askFor(
  { ...NUMBERED, ...CALL_KEY },
  (wanted) => `select wanted.n, ${CALL_COLUMNS} from ${wanted}
    join calls on calls.tenant = wanted.tenant and calls.run_id = wanted.run_id and calls.call_id = wanted.call_id`,
);

export const READ_DECISIONS: RowsQuery = askFor(
  { ...NUMBERED, ...DECISION_KEY },
  (wanted) => `select wanted.n, ${DECISION_COLUMNS} from ${wanted}
    join decisions on decisions.tenant = wanted.tenant and decisions.run_id = wanted.run_id
      and decisions.call_id = wanted.call_id and decisions.suspension = wanted.suspension`,
);

export const READ_MESSAGE_IDS: RowsQuery = askFor(
  { ...NUMBERED, ...THREAD_KEY, id_hash: "int8", id: "text" },
  (wanted) => `select wanted.n, messages.id from ${wanted}
    join messages on messages.tenant = wanted.tenant and messages.thread_id = wanted.thread_id
      and messages.id_hash = wanted.id_hash and messages.id = wanted.id`,
);

/**
 * Entries by a condition, for each that is wanted apart: joined, an index on few of them might be read through as a whole, by a
 * plan that was made when there were none.
 */
const entriesWhere = (wanted: string, condition: string): string => `select wanted.n, entries.* from ${wanted}
  cross join lateral (select ${ENTRY_COLUMNS} from entries where entries.tenant = wanted.tenant and ${condition} offset 0)
    as entries`;

/** Entries of threads that wait and are no queued runs. */
export const READ_PENDING: RowsQuery = askFor({ ...NUMBERED, ...THREAD_KEY }, (wanted) =>
  entriesWhere(wanted, "entries.thread_id = wanted.thread_id and entries.place in ('wake', 'claimed')"),
);

export const READ_QUEUED: RowsQuery = askFor({ ...NUMBERED, ...THREAD_KEY }, (wanted) =>
  entriesWhere(wanted, "entries.thread_id = wanted.thread_id and entries.place = 'run'"),
);

export const READ_ENTRIES: RowsQuery = askFor({ ...NUMBERED, ...ENTRY_KEY }, (wanted) =>
  entriesWhere(wanted, "entries.entry_id = wanted.entry_id"),
);

/** The entries that ask for runs which have not begun. */
export const READ_ENTRIES_OF_RUNS: RowsQuery = askFor({ ...NUMBERED, ...RUN_KEY }, (wanted) =>
  entriesWhere(
    wanted,
    `entries.run_id = wanted.run_id and entries.kind = 'run'
     and not exists (select from runs where runs.tenant = wanted.tenant and runs.run_id = wanted.run_id)`,
  ),
);

export const READ_DEDUPED: RowsQuery = askFor(
  { ...NUMBERED, ...THREAD_KEY, dedupe_hash: "int8", dedupe_key: "text" },
  (wanted) =>
    entriesWhere(
      wanted,
      `entries.thread_id = wanted.thread_id
       and entries.dedupe_hash = wanted.dedupe_hash and entries.dedupe_key = wanted.dedupe_key`,
    ),
);

/** The heads of queues at a time. */
export const READ_HEADS: RowsQuery = askFor({ ...NUMBERED, ...THREAD_KEY }, (wanted) => {
  const head = (condition: string) => `(select ${ENTRY_COLUMNS} from entries
    where entries.tenant = wanted.tenant and entries.thread_id = wanted.thread_id and place = 'run' and ${condition}
    order by priority desc, arrival limit 1)`;
  return `select wanted.n, entries.* from ${wanted} cross join lateral (
    ${head("available_at <= $4::float8")}
    union all ${head("available_at <= $4::float8 and busy_policy = 'continue'")}
    union all ${head("available_at > $4::float8 and attempts > 0")}) as entries`;
});

/** The thread that has a run, or an entry that asks for it. */
export const FIND_THREAD = `select coalesce(
  (select thread_id from runs where tenant = $1 and run_id = $2),
  (select thread_id from entries where tenant = $1 and run_id = $2 and kind = 'run' limit 1)) as thread_id`;
