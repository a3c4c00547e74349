/** In a pattern two backslashes stand for one. An escape is one only behind an even number of them. */
const READABLE_JSON = String.raw`create function readable_json(stored text) returns json language sql immutable as $$
  select case when stored = '' then '[]'::json
    when stored ~ '\\u(0000|d[89a-f])' then
      regexp_replace(stored, '(?<!\\)((\\\\)*)\\u(0000|d[89a-f][0-9a-f]{2})', '\1\\ufffd', 'g')::json
    else stored::json end $$`;

/**
 * The tables, step by step: a schema is brought from the step it is at to the last one, and one that is further than we know is
 * refused. A step that was ever released is never changed.
 *
 * Threads and runs are known by their tenant and id. Rows under a thread name it by its number (`key`, which is also the order of
 * storing), so that long ids are stored once. Texts are compared by their bytes (`C`), which is quick and the same everywhere.
 * Bodies are `text`, never `jsonb`: they come back character by character. Ids of any length are indexed by `idKey` or by a hash.
 * Times and priorities are any numbers.
 *
 * A commit is one row, or several parts when it is large. `thread_ids` makes the ids of a thread's changesets, messages and calls
 * unique and says where they are: the version of a changeset, the position of a message, the version that first had a call.
 *
 * Columns that most commits change are in no index, so that an update stays in its page (HOT): the status of a run is not
 * indexed, and open runs are found by their threads. Columns are in the order of their width, which leaves no gaps.
 *
 * No two indexes of a table begin with the same column, unless one is on a few rows only: a plan is made while the table is
 * empty, when one of them seems as good as the other, and kept when it has grown. Where a second one is needed, it begins with
 * an expression (`tenant || ''`, `thread_key + 0`), and the statements that mean it say the same. A column that only has to be
 * checked is compared by `is not distinct from`, which no index answers.
 *
 * A row of `blob_refs` keeps a blob for a thread. A blob without one is collected a day after it was last put (`created_at`).
 * A blob of more than one piece has its bytes in `blob_parts`, each part under where it begins, and in its own row how many they
 * are and whose parts. An upload is in `blob_uploads` until it is complete. An upload whose time is up, or 0, is to be removed.
 *
 * The views are for people with SQL. `readable_json` replaces U+0000 and half characters, which the JSON functions of Postgres refuse.
 */
export const SCHEMA_STEPS: readonly string[] = [
  `
create table threads (
  tenant text collate "C" not null, thread_id text collate "C" not null,
  key bigint generated always as identity,
  version bigint not null, revision bigint not null, created_at double precision not null,
  updated_at double precision not null, generation bigint not null, epoch bigint not null, claim_epoch bigint,
  claim_until double precision, recover_at double precision not null, arrivals bigint not null, messages bigint not null,
  pruned_version bigint not null, promised_version bigint not null, lost_version bigint not null,
  work_at double precision, work_rank integer, lost_claims integer not null, is_given_back integer not null, checksum integer not null, format smallint not null,
  digest text collate "C" not null, resource_id text collate "C", parent_thread_id text collate "C",
  claim_owner text collate "C", claim_kind text collate "C", claim_entry text collate "C", open_run_id text collate "C",
  damage text collate "C", work_need text collate "C" not null, metadata text collate "C" not null,
  primary key (tenant, thread_id)
) with (fillfactor = 60);
create unique index threads_by_key on threads (key);
create index threads_of_tenant on threads ((tenant || ''), key);
create index threads_by_resource on threads (md5(tenant || ' ' || resource_id), key) where resource_id is not null;
create index threads_by_parent on threads (md5(tenant || ' ' || parent_thread_id), key)
  where parent_thread_id is not null;
create index threads_with_work on threads (md5(work_need), work_rank, work_at) where work_at is not null;
create index threads_by_owner on threads (md5(claim_owner)) where claim_owner is not null;
create index threads_open on threads (md5(tenant)) where open_run_id is not null;

create table commits (
  thread_key bigint not null, version integer not null, part integer not null, epoch integer not null,
  first_seq integer, last_seq integer, closed_first_seq integer, closed_last_seq integer,
  first_position integer not null, message_count integer not null, shown_count integer not null, format smallint not null,
  changeset_id text collate "C" not null, run_id text collate "C", closed_run text collate "C",
  digest text collate "C" not null, checksums text collate "C" not null,
  messages text collate "C" not null, calls text collate "C" not null, patches text collate "C" not null,
  events text collate "C" not null, rest text collate "C" not null,
  primary key (thread_key, version, part)
);
create index commits_by_position on commits ((thread_key + 0), first_position) where message_count > 0;
create index commits_by_run on commits (run_id, thread_key, last_seq) where part = 0 and last_seq is not null;
create index commits_by_closed_run on commits (closed_run, thread_key, closed_last_seq) where part = 0 and closed_run is not null;

create table thread_ids (
  thread_key bigint not null, number integer not null, kind text collate "C" not null, id text collate "C" not null,
  primary key (thread_key, kind, id)
);

create table superseded (
  thread_key bigint not null, first_position integer not null, last_position integer not null, version integer not null,
  primary key (thread_key, first_position)
);

create table run_records (
  key bigint generated always as identity, thread_key bigint not null,
  created_at double precision not null, updated_at double precision not null,
  last_seq integer not null, first_version integer not null, last_version integer not null,
  checksum integer not null, format smallint not null,
  tenant text collate "C" not null, run_id text collate "C" not null, parent_run_id text collate "C",
  agent_id text collate "C" not null, status text collate "C" not null, origin text collate "C" not null,
  termination_code text collate "C", body text collate "C" not null,
  primary key (tenant, run_id)
) with (fillfactor = 50);
create index runs_by_time on run_records ((tenant || ''), created_at, key);
create index runs_by_thread on run_records (thread_key, key);
create index runs_by_parent on run_records (md5(tenant || ' ' || parent_run_id), created_at)
  where parent_run_id is not null;

create table suspended_calls (
  key bigint generated always as identity, thread_key bigint not null,
  tenant text collate "C" not null, run_id text collate "C" not null, call_id text collate "C" not null,
  pending_key text collate "C" not null,
  primary key (tenant, run_id, call_id)
);
create index suspended_calls_by_pending on suspended_calls (pending_key, key);
create index suspended_calls_of_tenant on suspended_calls ((tenant || ''), key);
create index suspended_calls_by_thread on suspended_calls (thread_key, key);

create table decisions (
  key bigint generated always as identity, thread_key bigint not null, suspension bigint not null,
  is_pending integer not null, checksum integer not null, format smallint not null,
  tenant text collate "C" not null, run_id text collate "C" not null, call_id text collate "C" not null,
  call_key text collate "C" not null, wake_entry_id text collate "C", body text collate "C" not null,
  primary key (tenant, run_id, call_key, suspension)
);
create index decisions_pending on decisions (tenant, run_id, key) where is_pending = 1;
create index decisions_by_thread on decisions (thread_key);

create table entries (
  key bigint generated always as identity, thread_key bigint not null,
  priority double precision not null, created_at double precision not null,
  available_at double precision not null, updated_at double precision not null,
  arrival integer not null, generation integer not null, attempts integer not null,
  checksum integer not null, format smallint not null,
  tenant text collate "C" not null, entry_id text collate "C" not null, kind text collate "C" not null,
  run_id text collate "C" not null, agent_id text collate "C" not null, busy_policy text collate "C" not null,
  rolls_back text collate "C", sender_id text collate "C", dedupe_key text collate "C", dedupe_id text collate "C",
  status text collate "C" not null, place text collate "C",
  last_error text collate "C", reason text collate "C", into_run text collate "C", body text collate "C" not null,
  primary key (tenant, entry_id)
);
create unique index entries_by_run on entries (run_id, (tenant || ''), (case kind when 'run' then 0 else arrival end));
create index entries_by_thread on entries ((thread_key + 0), key);
create index entries_not_accepted on entries (md5(tenant), status, key) where status <> 'accepted';
create unique index entries_by_dedupe_key on entries (thread_key, dedupe_id) where dedupe_id is not null;
create index entries_pending on entries (thread_key, place, priority desc, arrival) where place is not null;
create index entries_queued on entries (thread_key, available_at) where place = 'run';
create index entries_by_agent on entries (thread_key, md5(agent_id)) where place = 'run';
create index entries_continuing on entries (thread_key, available_at) where place = 'run' and busy_policy = 'continue';

create table snapshots (
  thread_key bigint not null, version integer not null,
  checksum integer not null, format smallint not null, body text collate "C" not null,
  primary key (thread_key, version)
);

create table retired_epochs (
  tenant text collate "C" not null, thread_id text collate "C" not null, epoch bigint not null,
  primary key (tenant, thread_id)
);

create table workers (
  until double precision not null, owner text collate "C" not null, session text collate "C" not null,
  abilities text collate "C" not null
);
create unique index workers_by_owner on workers (md5(owner));

create table documents (
  revision bigint generated always as identity,
  updated_at double precision not null, expires_at double precision,
  checksum integer not null, format smallint not null,
  tenant text collate "C" not null, kind text collate "C" not null, id text collate "C" not null,
  body text collate "C" not null,
  primary key (tenant, kind, id)
);
create index documents_expiring on documents (expires_at) where expires_at is not null;

create table blobs (
  bytes bigint, created_at double precision not null,
  tenant text collate "C" not null, ref text collate "C" not null, media_type text collate "C", upload text collate "C",
  content bytea,
  primary key (tenant, ref)
);

create table blob_refs (
  thread_key bigint not null, tenant text collate "C" not null, ref text collate "C" not null,
  primary key (tenant, ref, thread_key)
);
create index blob_refs_by_thread on blob_refs (thread_key);

create table blob_parts (
  start bigint not null, upload text collate "C" not null, content bytea not null,
  primary key (upload, start)
);

create table blob_uploads (
  until double precision not null, upload text collate "C" not null,
  primary key (until, upload)
);

${READABLE_JSON};

create view messages as
  select threads.tenant, threads.thread_id, commits.run_id, commits.version,
    commits.first_position + item.number - 1 as position,
    exists (select from superseded where superseded.thread_key = commits.thread_key
      and commits.first_position + item.number - 1 between superseded.first_position and superseded.last_position)
      as is_superseded,
    item.message ->> 'id' as id, item.message ->> 'role' as role, item.message
  from commits join threads on threads.key = commits.thread_key
    cross join lateral json_array_elements(readable_json(commits.messages)) with ordinality as item (message, number);

create view events as
  select threads.tenant, threads.thread_id, coalesce(item.event ->> 'run_id', commits.run_id) as run_id, commits.version,
    (item.event ->> 'seq')::bigint as seq, commits.epoch, item.event ->> 'type' as type, item.event
  from commits join threads on threads.key = commits.thread_key
    cross join lateral json_array_elements(readable_json(commits.events)) as item (event);

create view runs as
  select run_records.tenant, threads.thread_id, run_records.run_id, run_records.last_version as version,
    run_records.first_version, run_records.last_seq, run_records.parent_run_id, run_records.agent_id, run_records.status,
    run_records.origin, run_records.termination_code, run_records.created_at, run_records.updated_at,
    readable_json(run_records.body) -> 'record' as record, readable_json(run_records.body) -> 'open_calls' as open_calls
  from run_records join threads on threads.key = run_records.thread_key;

create view calls as
  select distinct on (commits.thread_key, item.call ->> 'run_id', item.call ->> 'call_id')
    threads.tenant, threads.thread_id, item.call ->> 'run_id' as run_id, commits.version, item.call ->> 'call_id' as call_id,
    item.call ->> 'tool_id' as tool_id, item.call ->> 'status' as status, item.call
  from commits join threads on threads.key = commits.thread_key
    cross join lateral json_array_elements(readable_json(commits.calls)) as item (call)
  order by commits.thread_key, item.call ->> 'run_id', item.call ->> 'call_id', commits.version desc, commits.part desc
`,
];
