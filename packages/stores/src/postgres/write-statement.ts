import { SHARE_REFS } from "./blob-statements.ts";
import type { Query } from "./statement.ts";
import type { Columns, Row } from "./table.ts";
import {
  CHANGING_DECISION,
  CHANGING_ENTRY,
  CHANGING_RUN,
  COMMIT,
  DECISION,
  DECISION_KEY,
  ENTRY_KEY,
  HEAD_CLAIM,
  HEAD_COMMIT,
  HEAD_INBOX,
  HEAD_REST,
  METADATA,
  RUN,
  RUN_KEY,
  SUPERSEDED,
  SUSPENDED,
  SUSPENDED_KEY,
  THREAD,
  THREAD_ID,
  THREAD_KEY,
} from "./tables.ts";
import {
  CONDITION,
  NUMBERED,
  type Steps,
  statementsOf,
  TOUCHED,
  WRITTEN,
  WRITTEN_ENTRY,
  type WrittenRows,
} from "./written-rows.ts";

const IS_NEW = "given.is_new = 1";
const IS_CHANGED = "given.is_new = 0";

const MOVED_HEAD: Columns = {
  ...NUMBERED,
  ...CONDITION,
  ...THREAD_KEY,
  ...HEAD_COMMIT,
  ...HEAD_INBOX,
  ...HEAD_CLAIM,
};

/** The head is unchanged since it was planned on. */
const IS_KNOWN = `threads.version = head.known_version and threads.digest = head.known_digest and threads.claim_epoch is not distinct from head.known_epoch
  and threads.damage is null and threads.revision = coalesce(head.known_revision, threads.revision)`;

/** Heads are locked in the order of their keys, by all, so that two batches never wait for each other. */
const IN_ORDER = `order by tenant collate "C", thread_id collate "C"`;

const NEW_HEAD = Object.keys({ ...THREAD, ...METADATA });

/**
 * Threads that are new, once the others are locked. The epochs of a thread continue from those of a deleted one with its id, which
 * a writer that did not read them does not know.
 */
const CREATE_HEADS = `insert into threads (${NEW_HEAD.join(", ")})
  select ${NEW_HEAD.map((name) => `head.${name}`).join(", ")} from head
  where head.is_new = 1 and (select count(*) from moved) >= 0
    and not exists (select from threads where threads.tenant = head.tenant and threads.thread_id = head.thread_id)
    and (head.touched = ${TOUCHED.whole} or not exists (select from retired_epochs
      where retired_epochs.tenant = head.tenant and retired_epochs.thread_id = head.thread_id))
  on conflict (tenant, thread_id) do nothing returning key, tenant, thread_id`;

/**
 * Writes all rows of a batch in one statement: heads that are as they were known to be, and what is filed under them. Answers with
 * the numbers of those heads and the server's time.
 */
export function writeRows(rows: WrittenRows): Query {
  const statement = isSteady(rows) ? STEADY : isStart(rows) ? START : WHOLE;
  return (isSingle(rows) ? statement.single : statement.many)(rows);
}

/** Whether nothing is written but commits of threads and runs that are there: most batches of owners are like this. */
function isSteady(rows: WrittenRows): boolean {
  const isMoved = ({ is_new, touched }: Row): boolean => is_new === 0 && touched !== TOUCHED.whole;
  return isStart(rows) && rows.entries.length === 0 && rows.heads.every(isMoved) && rows.runs.every(isChanged);
}

/** Whether runs only begin and continue. */
function isStart({ entries, decisions, suspended, superseded, refs }: WrittenRows): boolean {
  return decisions.length + suspended.length + superseded.length + refs.length === 0 && !entries.some(isChanged);
}

function isChanged({ is_new }: Row): boolean {
  return is_new === 0;
}

/** Whether the rows can be given as values, which cost the server less than arrays. */
function isSingle({ heads, commits, runs, entries }: WrittenRows): boolean {
  return heads.length === 1 && commits.length === 1 && runs.length <= 1 && entries.length <= 1;
}

const STEADY = statementsOf(
  { heads: MOVED_HEAD, commits: WRITTEN.commits, ids: WRITTEN.ids, runs: WRITTEN.runs },
  (given) => [
    `head as (select * from ${given("heads", "head")} ${IN_ORDER})`,
    `ours as (${moveHeads({ ...HEAD_COMMIT, ...HEAD_INBOX, ...HEAD_CLAIM }, IS_KNOWN)})`,
    insert("commits", COMMIT, given("commits")),
    insert("thread_ids", THREAD_ID, given("ids")),
    update("run_records", RUN_KEY, CHANGING_RUN, given("runs")),
  ],
);

const startSteps: Steps = (given) => [
  `head as materialized (select * from ${given("heads", "head")} ${IN_ORDER})`,
  `moved as (${moveHeads(
    { ...HEAD_COMMIT, ...HEAD_INBOX, ...HEAD_CLAIM, ...HEAD_REST },
    `head.is_new = 0 and (head.touched = ${TOUCHED.whole} or (${IS_KNOWN}))`,
  )})`,
  `created as (${CREATE_HEADS})`,
  `ours as (select n, key from moved
     union all select head.n, created.key from created join head
       on head.tenant is not distinct from created.tenant and head.thread_id is not distinct from created.thread_id)`,
  insert("commits", COMMIT, given("commits")),
  insert("thread_ids", THREAD_ID, given("ids")),
  insert("run_records", RUN, given("runs"), IS_NEW),
  update("run_records", RUN_KEY, CHANGING_RUN, given("runs"), IS_CHANGED),
  insert("entries", WRITTEN_ENTRY, given("entries"), IS_NEW),
];

const { heads, commits, ids, runs, entries } = WRITTEN;

const START = statementsOf({ heads, commits, ids, runs, entries }, startSteps);

const WHOLE = statementsOf(WRITTEN, (given) => [
  ...startSteps(given),
  update("entries", ENTRY_KEY, CHANGING_ENTRY, given("entries"), IS_CHANGED),
  insert("superseded", SUPERSEDED, given("superseded")),
  // Who collects blobs waits for this to be committed, or this for who collects: `blob-statements.ts`.
  `new_blob_refs as (insert into blob_refs (thread_key, tenant, ref)
     select ours.key, given.tenant, given.ref from ${given("refs")} join ours using (n)
     where ${SHARE_REFS} is not null on conflict do nothing)`,
  insert("decisions", DECISION, given("decisions"), IS_NEW),
  update("decisions", DECISION_KEY, CHANGING_DECISION, given("decisions"), IS_CHANGED),
  insert(
    "suspended_calls",
    SUSPENDED,
    given("suspended"),
    `${IS_NEW} on conflict (tenant, run_id, call_id) do update set pending_key = excluded.pending_key`,
  ),
  `resumed as (delete from suspended_calls using ${given("suspended")} join ours using (n)
     where ${IS_CHANGED} and ${sameKey("suspended_calls", SUSPENDED_KEY)})`,
]);

/** Only a known thread is moved; each column only by writes that may touch it. */
function moveHeads(columns: Columns, condition: string): string {
  const set = Object.keys(columns).map((name) => `${name} = ${newValue(name)}`);
  return `update threads set ${set.join(", ")} from head
    where threads.tenant = head.tenant and threads.thread_id = head.thread_id and ${condition}
    returning head.n, threads.key`;
}

function newValue(name: string): string {
  const level = [HEAD_COMMIT, HEAD_INBOX, HEAD_CLAIM].findIndex((columns) => Object.hasOwn(columns, name));
  if (level === TOUCHED.commit) return `head.${name}`;
  const least = level < 0 ? TOUCHED.whole : level;
  return `case when head.touched >= ${least} then head.${name} else threads.${name} end`;
}

/** Inserts rows under the threads that are ours. */
function insert(table: string, columns: Columns, given: string, condition = "true"): string {
  const names = Object.keys(columns);
  return `new_${table} as (insert into ${table} (thread_key, ${names.join(", ")})
    select ours.key, ${names.map((name) => `given.${name}`).join(", ")} from ${given} join ours using (n) where ${condition})`;
}

function update(table: string, key: Columns, changing: Columns, given: string, condition = "true"): string {
  const set = Object.keys(changing).map((name) => `${name} = given.${name}`);
  return `changed_${table} as (update ${table} set ${set.join(", ")} from ${given} join ours using (n)
    where ${sameKey(table, key)} and ${condition})`;
}

function sameKey(table: string, key: Columns): string {
  return Object.keys(key)
    .map((name) => `${table}.${name} = given.${name}`)
    .join(" and ");
}
