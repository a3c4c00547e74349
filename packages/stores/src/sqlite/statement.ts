/** A value of a column. */
export type SqlValue = string | number | null;

/** A statement by its name, with its values in order: small enough to be sent to the writer's thread. */
export interface Statement {
  readonly name: StatementName;
  readonly values: readonly SqlValue[];
}

export type StatementName =
  | "new_head"
  | "head_commit"
  | "head_inbox"
  | "head_claim"
  | "insert_thread"
  | "insert_commit"
  | "insert_id"
  | "insert_superseded"
  | "insert_blob_ref"
  | "insert_run"
  | "update_run"
  | "update_run_status"
  | "update_whole_run"
  | "put_suspended"
  | "delete_suspended"
  | "insert_entry"
  | "update_entry"
  | "insert_decision"
  | "update_decision"
  | "put_snapshot"
  | "prune_commits"
  | "prune_snapshots"
  | "forget_entry"
  | "retire_epoch"
  | "delete_commits"
  | "delete_ids"
  | "delete_superseded"
  | "delete_blob_refs"
  | "delete_suspended_calls"
  | "delete_decisions"
  | "delete_runs"
  | "delete_entries"
  | "delete_snapshots"
  | "delete_thread";

const THREAD = [
  "tenant, thread_id, resource_id, parent_thread_id, version, revision, digest, created_at, updated_at, generation, epoch",
  "claim_owner, claim_epoch, claim_until, claim_kind, claim_entry, open_run_id, recover_at, is_given_back, lost_version, lost_claims",
  "arrivals, messages, pruned_version, promised_version, damage, work_rank, work_at, work_need, format, checksum, metadata",
].join(", ");

const COMMIT = [
  "version, part, changeset_id, run_id, epoch, first_seq, last_seq, closed_run, closed_first_seq, closed_last_seq",
  "first_position, message_count, shown_count, digest, format, checksums, messages, calls, patches, events, rest",
].join(", ");

const RUN = [
  "tenant, run_id, parent_run_id, agent_id, status, origin, termination_code, created_at, updated_at",
  "last_seq, first_version, last_version, format, checksum, body",
].join(", ");

const ENTRY = [
  "tenant, entry_id, arrival, kind, run_id, agent_id, busy_policy, rolls_back, sender_id, priority, dedupe_key, created_at",
  "generation, status, place, available_at, attempts, last_error, reason, into_run, updated_at, format, checksum, body",
].join(", ");

const SUSPENDED = "tenant, run_id, call_id, pending_key";

/** The columns of the head that each kind of held write may touch. */
const HEAD_COMMIT = "version, digest, messages, open_run_id, recover_at, updated_at";
const HEAD_INBOX = `${HEAD_COMMIT}, revision, generation, arrivals, is_given_back, work_need`;
const HEAD_CLAIM = [
  HEAD_INBOX,
  "epoch, claim_owner, claim_epoch, claim_until, claim_kind, claim_entry, promised_version, work_rank, work_at",
].join(", ");

/**
 * The writes of the kernel as SQL. Those that begin with `under thread` have the number of the thread as their first parameter,
 * which are filled in when the statement is executed. Names of columns stand in the order of the values.
 */
export const STATEMENTS: Readonly<Record<StatementName, StatementText>> = {
  // Of a new thread, if none with its id was ever claimed and deleted: epochs have to continue from there.
  new_head: {
    sql: `insert into threads (${THREAD}) select ${marks(THREAD)}
      where not exists (select 1 from retired_epochs where tenant = ? and thread_id = ?) on conflict do nothing returning key`,
    columns: names(THREAD),
  },
  head_commit: { sql: conditional(HEAD_COMMIT), columns: names(HEAD_COMMIT) },
  head_inbox: { sql: conditional(HEAD_INBOX), columns: names(HEAD_INBOX) },
  head_claim: { sql: conditional(HEAD_CLAIM), columns: names(HEAD_CLAIM) },
  insert_thread: {
    sql: `insert into threads (${THREAD}) values (${marks(THREAD)}) returning key`,
    columns: names(THREAD),
  },
  insert_commit: under("commits", COMMIT),
  insert_id: under("thread_ids", "kind, id, number"),
  insert_superseded: under("superseded", "first_position, last_position, version"),
  insert_blob_ref: {
    ...under("blob_refs", "tenant, ref"),
    sql: `${under("blob_refs", "tenant, ref").sql} on conflict do nothing`,
  },
  insert_run: under("run_records", RUN),
  // The columns that are in no index: most commits change nothing else of a run.
  update_run: updateRun("updated_at, last_seq, last_version, format, checksum, body"),
  update_run_status: updateRun("status, termination_code, updated_at, last_seq, last_version, format, checksum, body"),
  update_whole_run: updateRun(
    "parent_run_id, agent_id, status, origin, termination_code, created_at, updated_at, last_seq, last_version, format, checksum, body",
  ),
  put_suspended: {
    ...under("suspended_calls", SUSPENDED),
    sql: `${under("suspended_calls", SUSPENDED).sql} on conflict do update set pending_key = excluded.pending_key`,
  },
  delete_suspended: {
    sql: "delete from suspended_calls where tenant = ? and run_id = ? and call_id = ?",
    columns: names("tenant, run_id, call_id"),
  },
  insert_entry: under("entries", ENTRY),
  update_entry: update(
    "entries",
    "generation, status, place, available_at, attempts, last_error, reason, into_run, updated_at",
    "tenant, entry_id",
  ),
  insert_decision: under(
    "decisions",
    "tenant, run_id, call_id, suspension, is_pending, wake_entry_id, format, checksum, body",
  ),
  update_decision: update("decisions", "is_pending, wake_entry_id", "tenant, run_id, call_id, suspension"),
  put_snapshot: {
    ...under("snapshots", "version, format, checksum, body"),
    sql: `${under("snapshots", "version, format, checksum, body").sql} on conflict do update
      set format = excluded.format, checksum = excluded.checksum, body = excluded.body`,
  },
  prune_commits: {
    sql: "update commits set patches = '', events = '', rest = '' where thread_key = ? and version <= ? and patches <> ''",
    columns: names("up_to"),
    isUnderThread: true,
  },
  prune_snapshots: {
    sql: "delete from snapshots where thread_key = ? and version < ?",
    columns: names("up_to"),
    isUnderThread: true,
  },
  forget_entry: { sql: "delete from entries where tenant = ? and entry_id = ?", columns: names("tenant, entry_id") },
  retire_epoch: {
    sql: `insert into retired_epochs (tenant, thread_id, epoch) values (?, ?, ?)
      on conflict do update set epoch = excluded.epoch`,
    columns: names("tenant, thread_id, epoch"),
  },
  delete_commits: deleteOf("commits"),
  delete_ids: deleteOf("thread_ids"),
  delete_superseded: deleteOf("superseded"),
  delete_blob_refs: deleteOf("blob_refs"),
  delete_suspended_calls: deleteOf("suspended_calls"),
  delete_decisions: deleteOf("decisions"),
  delete_runs: deleteOf("run_records"),
  delete_entries: deleteOf("entries"),
  delete_snapshots: deleteOf("snapshots"),
  delete_thread: { sql: "delete from threads where key = ?", columns: names(""), isUnderThread: true },
};

export interface StatementText {
  readonly sql: string;
  /** Of which columns it takes values, in order. */
  readonly columns: readonly string[];
  readonly isUnderThread?: boolean;
}

/** A statement with the values of a row that has all its columns. `rest` follows them. */
export function statement(name: StatementName, row: object, rest: readonly SqlValue[] = []): Statement {
  // Every row that is given here has these columns, and only such values.
  const columns = row as Readonly<Record<string, SqlValue>>;
  return { name, values: [...STATEMENTS[name].columns.map((column) => columns[column] ?? null), ...rest] };
}

function names(list: string): readonly string[] {
  return list === "" ? [] : list.split(", ");
}

function marks(list: string): string {
  return names(list)
    .map(() => "?")
    .join(", ");
}

function under(table: string, columns: string): StatementText {
  const sql = `insert into ${table} (thread_key, ${columns}) values (?, ${marks(columns)})`;
  return { sql, columns: names(columns), isUnderThread: true };
}

function deleteOf(table: string): StatementText {
  return { sql: `delete from ${table} where thread_key = ?`, columns: [], isUnderThread: true };
}

function update(table: string, columns: string, key: string): StatementText {
  const set = names(columns).map((name) => `${name} = ?`);
  const where = names(key).map((name) => `${name} = ?`);
  return {
    sql: `update ${table} set ${set.join(", ")} where ${where.join(" and ")}`,
    columns: [...names(columns), ...names(key)],
  };
}

function updateRun(columns: string): StatementText {
  return update("run_records", columns, "tenant, run_id");
}

/** Writes the head if nothing that the plan depends on changed meanwhile. Without a revision any will do. */
function conditional(columns: string): string {
  const set = names(columns).map((name) => `${name} = ?`);
  return `update threads set ${set.join(", ")} where tenant = ? and thread_id = ?
    and version = ? and digest = ? and claim_epoch is ? and revision = coalesce(?, revision) and damage is null returning key`;
}
