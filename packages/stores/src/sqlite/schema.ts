/**
 * The tables, step by step: a file is brought from the step it is at to the last one, and one that is further than we know is
 * refused. A step that was ever released is never changed.
 *
 * - Times and priorities are real, because they need not be whole numbers. SQLite stores whole ones as such.
 * - Rows point at their thread by number, so that long ids are stored once.
 * - A commit is one row, or several parts when it is large. Its texts are JSON: the views show them.
 * - `thread_ids` makes the ids of a thread's changesets, messages and calls unique, and says where they are: the version of a
 *   changeset, the position of a message, the version that first had a call.
 * - Bodies lie in tables with row ids: in one without, rows of this size would each take a page.
 * - The revision of a document is the number of its row, of which SQLite never gives one out again.
 * - A row of `blob_refs` keeps a blob for a thread. A blob without one is collected a day after it was last put (`created_at`).
 * - A blob of more than one piece has its bytes in `blob_parts`, each part under where it begins, and in its own row how many they
 *   are and whose parts. An upload is in `blob_uploads` until it is complete. An upload whose time is up, or 0, is to be removed.
 */
export const SCHEMA_STEPS: readonly string[] = [
  `
create table threads (
  key integer primary key,
  tenant text not null, thread_id text not null,
  resource_id text, parent_thread_id text,
  version integer not null, revision integer not null, created_at real not null, updated_at real not null,
  generation integer not null, epoch integer not null,
  claim_owner text, claim_epoch integer, claim_until real, claim_kind text, claim_entry text,
  open_run_id text, recover_at real not null, is_given_back integer not null,
  lost_version integer not null, lost_claims integer not null,
  arrivals integer not null, messages integer not null, damage text,
  work_rank integer, work_at real, work_need text not null,
  pruned_version integer not null, promised_version integer not null, digest text not null,
  format integer not null, checksum integer not null, metadata text not null
) strict;
create unique index threads_by_id on threads (tenant, thread_id);
create index threads_by_resource on threads (tenant, resource_id) where resource_id is not null;
create index threads_by_parent on threads (tenant, parent_thread_id) where parent_thread_id is not null;
create index threads_with_work on threads (work_need, work_rank, work_at) where work_at is not null;

create table commits (
  key integer primary key,
  thread_key integer not null, version integer not null, part integer not null,
  changeset_id text not null, run_id text, epoch integer not null, first_seq integer, last_seq integer,
  closed_run text, closed_first_seq integer, closed_last_seq integer,
  first_position integer not null, message_count integer not null, shown_count integer not null,
  digest text not null, format integer not null, checksums text not null,
  messages text not null, calls text not null, patches text not null, events text not null, rest text not null
) strict;
create unique index commits_by_version on commits (thread_key, version, part);

create table thread_ids (
  thread_key integer not null, kind text not null, id text not null, number integer not null,
  primary key (thread_key, kind, id)
) strict, without rowid;

create table superseded (
  thread_key integer not null, first_position integer not null, last_position integer not null, version integer not null,
  primary key (thread_key, first_position)
) strict, without rowid;

create table run_records (
  key integer primary key,
  tenant text not null, run_id text not null, thread_key integer not null,
  parent_run_id text, agent_id text not null, status text not null, origin text not null, termination_code text,
  created_at real not null, updated_at real not null,
  last_seq integer not null, first_version integer not null, last_version integer not null,
  format integer not null, checksum integer not null, body text not null
) strict;
create unique index runs_by_id on run_records (tenant, run_id);
create index runs_by_time on run_records (tenant, created_at);
create index runs_by_thread on run_records (thread_key, created_at);
create index runs_by_parent on run_records (tenant, parent_run_id, created_at) where parent_run_id is not null;
create index runs_open on run_records (tenant, status, created_at) where status <> 'done';

create table suspended_calls (
  key integer primary key,
  tenant text not null, run_id text not null, call_id text not null, pending_key text not null, thread_key integer not null
) strict;
create unique index suspended_calls_by_id on suspended_calls (tenant, run_id, call_id);
create index suspended_calls_by_pending on suspended_calls (tenant, pending_key);
create index suspended_calls_by_thread on suspended_calls (thread_key);

create table decisions (
  key integer primary key,
  tenant text not null, run_id text not null, call_id text not null, suspension integer not null, thread_key integer not null,
  is_pending integer not null, wake_entry_id text,
  format integer not null, checksum integer not null, body text not null
) strict;
create unique index decisions_by_key on decisions (tenant, run_id, call_id, suspension);
create index decisions_by_thread on decisions (thread_key);
create index decisions_pending on decisions (tenant, run_id) where is_pending = 1;

create table entries (
  key integer primary key,
  tenant text not null, entry_id text not null, thread_key integer not null, arrival integer not null,
  kind text not null, run_id text not null, agent_id text not null, busy_policy text not null, rolls_back text, sender_id text,
  priority real not null, dedupe_key text, generation integer not null, created_at real not null,
  status text not null, place text, available_at real not null, attempts integer not null,
  last_error text, reason text, into_run text, updated_at real not null,
  format integer not null, checksum integer not null, body text not null
) strict;
create unique index entries_by_id on entries (tenant, entry_id);
create unique index entries_by_run on entries (tenant, run_id, (case kind when 'run' then 0 else arrival end));
create index entries_by_thread on entries (thread_key);
create index entries_not_accepted on entries (tenant, status) where status <> 'accepted';
create unique index entries_by_dedupe_key on entries (thread_key, dedupe_key) where dedupe_key is not null;
create index entries_pending on entries (thread_key, place, priority desc, arrival) where place is not null;
create index entries_queued on entries (thread_key, available_at) where place = 'run';
create index entries_by_agent on entries (thread_key, agent_id) where place = 'run';
create index entries_continuing on entries (thread_key, available_at) where place = 'run' and busy_policy = 'continue';

create table snapshots (
  thread_key integer not null, version integer not null,
  format integer not null, checksum integer not null, body text not null
) strict;
create unique index snapshots_by_version on snapshots (thread_key, version);

create table retired_epochs (
  tenant text not null, thread_id text not null, epoch integer not null, primary key (tenant, thread_id)
) strict, without rowid;

create table blobs (
  tenant text not null, ref text not null, media_type text, created_at real not null, upload text, bytes integer,
  content blob not null
) strict;
create unique index blobs_by_ref on blobs (tenant, ref);

create table blob_refs (
  tenant text not null, ref text not null, thread_key integer not null, primary key (tenant, ref, thread_key)
) strict, without rowid;
create index blob_refs_by_thread on blob_refs (thread_key);

create table blob_parts (
  upload text not null, start integer not null, content blob not null, primary key (upload, start)
) strict, without rowid;

create table blob_uploads (
  until real not null, upload text not null, primary key (until, upload)
) strict, without rowid;

create table documents (
  revision integer primary key autoincrement,
  tenant text not null, kind text not null, id text not null, updated_at real not null, expires_at real,
  format integer not null, checksum integer not null, body text not null
) strict;
create unique index documents_by_id on documents (tenant, kind, id);
create index documents_expiring on documents (expires_at) where expires_at is not null;

create table signals (number integer primary key, writer integer not null, signals text not null) strict;

create table workers (
  owner text primary key, session text not null, slot integer not null, until real not null, abilities text not null
) strict, without rowid;

create view messages as
  select threads.tenant, threads.thread_id, commits.version, commits.run_id,
    commits.first_position + item.key as position,
    exists (select 1 from superseded where superseded.thread_key = commits.thread_key
      and commits.first_position + item.key between superseded.first_position and superseded.last_position) as is_superseded,
    item.value ->> '$.id' as id, item.value ->> '$.role' as role, item.value as message
  from commits join threads on threads.key = commits.thread_key, json_each(commits.messages) as item;

create view events as
  select threads.tenant, threads.thread_id, commits.version, commits.epoch,
    coalesce(item.value ->> '$.run_id', commits.run_id) as run_id,
    item.value ->> '$.seq' as seq, item.value ->> '$.type' as type, item.value as event
  from commits join threads on threads.key = commits.thread_key, json_each(commits.events) as item
  where commits.events <> '';

create view runs as
  select run_records.tenant, threads.thread_id, run_id, parent_run_id, agent_id, status, origin, termination_code,
    run_records.created_at, run_records.updated_at, last_seq, first_version, last_version,
    body -> '$.record' as record, body -> '$.open_calls' as open_calls
  from run_records join threads on threads.key = run_records.thread_key;

create view calls as
  select tenant, thread_id, run_id, version, call_id, tool_id, status, call from (
    select threads.tenant, threads.thread_id, commits.version,
      item.value ->> '$.run_id' as run_id, item.value ->> '$.call_id' as call_id,
      item.value ->> '$.tool_id' as tool_id, item.value ->> '$.status' as status, item.value as call,
      row_number() over (
        partition by commits.thread_key, item.value ->> '$.run_id', item.value ->> '$.call_id' order by commits.version desc
      ) as age
    from commits join threads on threads.key = commits.thread_key, json_each(commits.calls) as item)
  where age = 1;
`,
];
