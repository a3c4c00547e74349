/**
 * The tables, step by step: a file is brought from the step it is at to the last one, and one that is further than we know is
 * refused. A step that was ever released is never changed.
 *
 * Times and priorities are real: nobody says that they are whole. SQLite stores whole ones as such.
 * Children point at their thread and run by number, so that long ids are stored once; a changeset has its run's id only when
 * the run has no row. Ids of messages and changesets,
 * which are looked for and rarely found, are indexed by a hash. Bodies lie in ordinary tables: in one
 * without row ids, rows of this size would each take a page. The revision of a document is the number of its row, of which
 * SQLite never gives one out again.
 *
 * A blob of more than one piece has its bytes in `blob_parts`, each part under where it begins, and in its own row how many they
 * are and whose parts. An upload is in `blob_uploads` until it is such a blob; one whose time is up, or 0, is to be removed.
 */
export const SCHEMA_STEPS: readonly string[] = [
  `
create table threads (
  key integer primary key,
  tenant text not null, thread_id text not null,
  resource_id text, parent_thread_id text,
  version integer not null, created_at real not null, updated_at real not null,
  generation integer not null, epoch integer not null,
  claim_owner text, claim_epoch integer, claim_until real, claim_kind text, claim_entry text,
  open_run_id text, recover_at real not null, is_given_back integer not null,
  arrivals integer not null, messages integer not null, damage text,
  work_rank integer, work_at real,
  pruned_version integer not null default 0, promised_version integer not null default 0,
  format integer not null, checksum integer not null, metadata text not null
) strict;
create unique index threads_by_id on threads (tenant, thread_id);
create index threads_by_resource on threads (tenant, resource_id) where resource_id is not null;
create index threads_by_parent on threads (tenant, parent_thread_id) where parent_thread_id is not null;
create index threads_with_work on threads (work_rank, work_at) where work_at is not null;
create index threads_by_owner on threads (claim_owner) where claim_owner is not null;

create table changesets (
  thread_key integer not null, version integer not null,
  changeset_id text not null, id_hash integer not null, run_key integer, run_id text,
  first_position integer not null, messages integer not null, first_segment integer, segments integer not null,
  format integer not null, checksum integer not null, body text not null,
  patches_checksum integer not null, patches text not null
) strict;
create unique index changesets_by_version on changesets (thread_key, version);
create index changesets_by_id on changesets (thread_key, id_hash);

create table messages (
  thread_key integer not null, position integer not null,
  id text not null, id_hash integer not null, version integer not null, is_internal integer not null, superseded_version integer,
  format integer not null, checksum integer not null, body text not null
) strict;
create unique index messages_by_position on messages (thread_key, position);
create index messages_by_id on messages (thread_key, id_hash);

create table runs (
  key integer primary key,
  tenant text not null, run_id text not null, thread_key integer not null,
  parent_run_id text, agent_id text not null, status text not null, origin text not null, termination_code text,
  created_at real not null, updated_at real not null,
  format integer not null, checksum integer not null, body text not null
) strict;
create unique index runs_by_id on runs (tenant, run_id);
create index runs_by_time on runs (tenant, created_at);
create index runs_by_thread on runs (thread_key, created_at);
create index runs_by_parent on runs (tenant, parent_run_id, created_at) where parent_run_id is not null;
create index runs_open on runs (tenant, status, created_at) where status <> 'done';

create table calls (
  key integer primary key,
  tenant text not null, run_key integer not null, call_id text not null, thread_key integer not null,
  status text not null,
  format integer not null, checksum integer not null, body text not null
) strict;
create unique index calls_by_id on calls (run_key, call_id);
create index calls_by_thread on calls (thread_key);
create index calls_by_status on calls (tenant, status);

create table decisions (
  key integer primary key,
  run_key integer not null, call_id text not null, suspension integer not null,
  is_pending integer not null, wake_entry_id text,
  format integer not null, checksum integer not null, body text not null
) strict;
create unique index decisions_by_key on decisions (run_key, call_id, suspension);
create index decisions_pending on decisions (run_key) where is_pending = 1;

create table entries (
  key integer primary key,
  tenant text not null, entry_id text not null, thread_key integer not null, arrival integer not null,
  kind text not null, run_id text not null, busy_policy text not null, rolls_back text, sender_id text,
  priority real not null, dedupe_key text, generation integer not null, created_at real not null,
  status text not null, place text, available_at real not null, attempts integer not null,
  last_error text, reason text, into_run text, updated_at real not null, texts_version integer,
  format integer not null, checksum integer not null, body text not null
) strict;
create unique index entries_by_id on entries (tenant, entry_id);
create index entries_by_run on entries (tenant, run_id);
create index entries_by_thread on entries (thread_key);
create index entries_not_accepted on entries (tenant, status) where status <> 'accepted';
create unique index entries_by_dedupe_key on entries (thread_key, dedupe_key) where dedupe_key is not null;
create index entries_pending on entries (thread_key, place, priority desc, arrival) where place is not null;
create index entries_queued on entries (thread_key, available_at) where place = 'run';
create index entries_continuing on entries (thread_key, available_at) where place = 'run' and busy_policy = 'continue';

create table segments (
  key integer primary key,
  run_key integer not null, first_seq integer not null, last_seq integer not null, epoch integer not null,
  thread_key integer not null, version integer not null,
  format integer not null, checksum integer not null, body text not null
) strict;
create unique index segments_by_seq on segments (run_key, last_seq);

create table snapshots (
  thread_key integer not null, version integer not null,
  format integer not null, checksum integer not null, body text not null
) strict;
create unique index snapshots_by_version on snapshots (thread_key, version);

create table retired_epochs (
  tenant text not null, thread_id text not null, epoch integer not null, primary key (tenant, thread_id)
) strict, without rowid;

create table blobs (
  tenant text not null, ref text not null, media_type text, created_at real not null, content blob not null
) strict;
create unique index blobs_by_ref on blobs (tenant, ref);

create table documents (
  revision integer primary key autoincrement,
  tenant text not null, kind text not null, id text not null, updated_at real not null, expires_at real,
  format integer not null, checksum integer not null, body text not null
) strict;
create unique index documents_by_id on documents (tenant, kind, id);
create index documents_expiring on documents (expires_at) where expires_at is not null;

create table signals (number integer primary key, writer integer not null, signals text not null) strict;

create table dispatcher (one integer primary key check (one = 1), pid integer not null, since real not null) strict;
`,
  `
alter table blobs add column upload text;
alter table blobs add column bytes integer;

create table blob_parts (
  upload text not null, start integer not null, content blob not null, primary key (upload, start)
) strict, without rowid;

create table blob_uploads (
  until real not null, upload text not null, primary key (until, upload)
) strict, without rowid;
`,
];
