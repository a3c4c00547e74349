import { type Prepared, prepared, type Query } from "./statement.ts";
import { type Columns, encodeRows, givenRows, NOW, type Row } from "./table.ts";
import {
  CHANGING_DECISION,
  CHANGING_ENTRY,
  CHANGING_RUN,
  COMMIT,
  DECISION,
  DECISION_KEY,
  ENTRY,
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
  THREAD,
  THREAD_ID,
  THREAD_KEY,
} from "./tables.ts";

/**
 * How much of a thread's row a write may touch: what a commit moves, what the revision guards besides, the claim besides, or all
 * of it, which is for whoever has locked the row and read it.
 */
export const TOUCHED = { commit: 0, inbox: 1, claim: 2, whole: 3 } as const;

/** Which write of a batch a row is of, and whether the row is new. */
const NUMBERED: Columns = { n: "int4" };
const MARKED: Columns = { n: "int4", is_new: "int2" };

/** What must be true of a thread; null where nothing must. */
const CONDITION: Columns = { touched: "int2", known_version: "int8", known_epoch: "int8", known_revision: "int8" };

/** The rows of a batch, by what they are. Rows of all but the heads are written only if the head of the same number was. */
export const WRITTEN = {
  heads: { ...MARKED, ...CONDITION, ...THREAD, ...METADATA },
  commits: { ...NUMBERED, ...COMMIT },
  ids: { ...NUMBERED, ...THREAD_ID },
  runs: { ...MARKED, ...RUN },
  entries: { ...MARKED, ...ENTRY, dedupe_id: "text" },
  decisions: { ...MARKED, ...DECISION },
  suspended: { ...MARKED, ...SUSPENDED },
  superseded: { ...NUMBERED, ...SUPERSEDED },
} as const satisfies Readonly<Record<string, Columns>>;

export type WrittenKind = keyof typeof WRITTEN;

export type WrittenRows = Readonly<Record<WrittenKind, readonly Row[]>>;

const MOVED_HEAD: Columns = {
  ...NUMBERED,
  ...CONDITION,
  ...THREAD_KEY,
  ...HEAD_COMMIT,
  ...HEAD_INBOX,
  ...HEAD_CLAIM,
};

/** The head is as whoever planned on it knew it. */
const IS_KNOWN = `threads.version = head.known_version and threads.claim_epoch is not distinct from head.known_epoch
  and threads.damage is null and threads.revision = coalesce(head.known_revision, threads.revision)`;

/** Heads are locked in the order of their keys, by all, so that two batches never wait for each other. */
const IN_ORDER = `order by tenant collate "C", thread_id collate "C"`;

const NEW_HEAD = Object.keys({ ...THREAD, ...METADATA });

/**
 * Threads that are new, once the others are locked. The epochs of a thread go on from those of a deleted one with its id, which
 * whoever has not read does not know.
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
  return isSteady(rows) ? STEADY(rows) : WHOLE(rows);
}

/** Whether nothing is written but commits of threads and runs that are there: most batches of owners are like this. */
function isSteady({ heads, runs, entries, decisions, suspended, superseded }: WrittenRows): boolean {
  const others = entries.length + decisions.length + suspended.length + superseded.length;
  return others === 0 && heads.every(isMoved) && runs.every(({ is_new }) => is_new === 0);
}

function isMoved({ is_new, touched }: Row): boolean {
  return is_new === 0 && touched !== TOUCHED.whole;
}

const STEADY = statementOf(
  { heads: MOVED_HEAD, commits: WRITTEN.commits, ids: WRITTEN.ids, runs: WRITTEN.runs },
  (given) => [
    `head as (select * from ${given("heads", "head")} ${IN_ORDER})`,
    `ours as (${moveHeads({ ...HEAD_COMMIT, ...HEAD_INBOX, ...HEAD_CLAIM }, IS_KNOWN)})`,
    insert("commits", COMMIT, given("commits")),
    insert("thread_ids", THREAD_ID, given("ids")),
    update("run_records", RUN_KEY, CHANGING_RUN, given("runs")),
  ],
);

const WHOLE = statementOf(WRITTEN, (given) => [
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
  insert("superseded", SUPERSEDED, given("superseded")),
  ...insertOrUpdate("run_records", { key: RUN_KEY, changing: CHANGING_RUN, all: RUN }, given("runs")),
  ...insertOrUpdate(
    "entries",
    { key: ENTRY_KEY, changing: CHANGING_ENTRY, all: { ...ENTRY, dedupe_id: "text" } },
    given("entries"),
  ),
  ...insertOrUpdate("decisions", { key: DECISION_KEY, changing: CHANGING_DECISION, all: DECISION }, given("decisions")),
  insert("suspended_calls", SUSPENDED, given("suspended"), "given.is_new = 1"),
  `resumed as (delete from suspended_calls using ${given("suspended")} join ours using (n)
     where given.is_new = 0 and ${sameKey("suspended_calls", SUSPENDED)})`,
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

function insertOrUpdate(
  table: string,
  { key, changing, all }: { readonly key: Columns; readonly changing: Columns; readonly all: Columns },
  given: string,
): readonly string[] {
  return [
    `given_${table} as materialized (select * from ${given})`,
    insert(table, all, `given_${table} as given`, "given.is_new = 1"),
    update(table, key, changing, `given_${table} as given`, "given.is_new = 0"),
  ];
}

function sameKey(table: string, key: Columns): string {
  return Object.keys(key)
    .map((name) => `${table}.${name} = given.${name}`)
    .join(" and ");
}

type Groups = Readonly<Partial<Record<WrittenKind, Columns>>>;

/** A statement over groups of rows. `given` names the rows of one of them. */
function statementOf(
  groups: Groups,
  steps: (given: (kind: WrittenKind, name?: string) => string) => readonly string[],
): (rows: WrittenRows) => Query {
  const first = new Map<WrittenKind, number>();
  let next = 1;
  for (const [kind, columns] of entriesOf(groups)) {
    first.set(kind, next);
    next += Object.keys(columns).length;
  }
  const given = (kind: WrittenKind, name = "given"): string => givenRows(name, groups[kind] ?? {}, first.get(kind));
  const query: Prepared = prepared(`with ${steps(given).join(",\n")}
    select (select coalesce(string_agg(n::text, ','), '') from ours) as ours, ${NOW} as now`);
  return (rows) => query(...entriesOf(groups).flatMap(([kind, columns]) => encodeRows(columns, rows[kind])));
}

function entriesOf(groups: Groups): readonly (readonly [WrittenKind, Columns])[] {
  // The keys of the groups are kinds.
  return Object.entries(groups) as [WrittenKind, Columns][];
}
