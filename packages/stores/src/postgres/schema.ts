/**
 * The tables, step by step: a schema is brought from the step it is at to the last one, and one that is further than we know is
 * refused. A step that was ever released is never changed.
 *
 * Threads and runs are known by their tenant and id; what is filed under them names them by their number (`key`, which is also
 * the order of storing), so that long ids are stored once. Texts are compared by their bytes (`C`), which is quick and the same
 * everywhere. Bodies are `text`, never `jsonb`: what was stored comes back character by character. Free text and ids that are
 * looked for and rarely found are indexed by a hash, so that their length does not matter. Times and priorities are any numbers.
 *
 * The status of a run is in no index, so that its updates touch none: open runs are found by their threads. Columns are in the
 * order of their width, which leaves no gaps.
 *
 * No two indexes of a table begin with the same column, unless one is on a few rows only: a plan is made while the table is
 * empty, when one of them seems as good as the other, and kept when it has grown. Where a second one is needed, it begins with
 * an expression (`tenant || ''`, `thread_key + 0`), and the statements that mean it say the same. A column that only has to be
 * checked is compared by `is not distinct from`, which no index answers.
 *
 * A blob of more than one piece has its bytes in `blob_parts`, each part under where it begins, and in its own row how many they
 * are and whose parts. An upload is in `blob_uploads` until it is such a blob; one whose time is up, or 0, is to be removed.
 */
export const SCHEMA_STEPS: readonly string[] = [
  `
create table threads (
  tenant text collate "C" not null, thread_id text collate "C" not null,
  key bigint generated always as identity,
  resource_id text collate "C", parent_thread_id text collate "C",
  version bigint not null, created_at double precision not null, updated_at double precision not null,
  generation bigint not null, epoch bigint not null,
  claim_owner text collate "C", claim_epoch bigint, claim_until double precision, claim_kind text collate "C",
  claim_entry text collate "C", open_run_id text collate "C", recover_at double precision not null,
  is_given_back integer not null, arrivals bigint not null, messages bigint not null, damage text collate "C",
  work_rank integer, work_at double precision,
  pruned_version bigint not null default 0, promised_version bigint not null default 0,
  format smallint not null, checksum integer not null, metadata text collate "C" not null,
  primary key (tenant, thread_id)
) with (fillfactor = 70);
create unique index threads_by_key on threads (key);
create index threads_of_tenant on threads ((tenant || ''), key);
create index threads_by_resource on threads (md5(tenant || ' ' || resource_id), key) where resource_id is not null;
create index threads_by_parent on threads (md5(tenant || ' ' || parent_thread_id), key)
  where parent_thread_id is not null;
create index threads_with_work on threads (work_rank, work_at) where work_at is not null;
create index threads_by_owner on threads (md5(claim_owner)) where claim_owner is not null;
create index threads_open on threads (md5(tenant)) where open_run_id is not null;

create table changesets (
  thread_key bigint not null, run_key bigint,
  version integer not null, first_position integer not null, messages integer not null,
  id_hash integer not null, checksum integer not null, patches_checksum integer not null, format smallint not null,
  changeset_id text collate "C" not null, run_id text collate "C", segments text collate "C",
  body text collate "C" not null, patches text collate "C" not null,
  primary key (thread_key, version)
);
create index changesets_by_id on changesets ((thread_key + 0), id_hash);

create table messages (
  thread_key bigint not null, position integer not null, version integer not null,
  id_hash integer not null, checksum integer not null, format smallint not null, is_internal smallint not null,
  superseded_version integer, id text collate "C" not null, body text collate "C" not null,
  primary key (thread_key, position)
);
create index messages_by_id on messages ((thread_key + 0), id_hash);

create table runs (
  key bigint generated always as identity, thread_key bigint not null,
  created_at double precision not null, updated_at double precision not null,
  checksum integer not null, format smallint not null,
  tenant text collate "C" not null, run_id text collate "C" not null, parent_run_id text collate "C",
  agent_id text collate "C" not null, status text collate "C" not null, origin text collate "C" not null,
  termination_code text collate "C", body text collate "C" not null,
  primary key (tenant, run_id)
);
create index runs_by_time on runs ((tenant || ''), created_at, key);
create index runs_by_thread on runs (thread_key, key);
create index runs_by_parent on runs (md5(tenant || ' ' || parent_run_id), created_at) where parent_run_id is not null;

create table calls (
  key bigint generated always as identity, run_key bigint not null, thread_key bigint not null,
  checksum integer not null, format smallint not null,
  tenant text collate "C" not null, call_id text collate "C" not null, status text collate "C" not null,
  body text collate "C" not null,
  primary key (run_key, call_id)
);
create index calls_by_thread on calls (thread_key, key);
create index calls_by_status on calls ((tenant || ''), status, key);

create table decisions (
  tenant text collate "C" not null, run_id text collate "C" not null, call_id text collate "C" not null,
  suspension bigint not null, key bigint generated always as identity,
  is_pending integer not null, wake_entry_id text collate "C",
  format smallint not null, checksum integer not null, body text collate "C" not null,
  primary key (tenant, run_id, call_id, suspension)
);
create index decisions_pending on decisions (tenant, run_id, key) where is_pending = 1;

create table entries (
  key bigint generated always as identity, thread_key bigint not null,
  priority double precision not null, created_at double precision not null,
  available_at double precision not null, updated_at double precision not null,
  arrival integer not null, generation integer not null, attempts integer not null, texts_version integer,
  dedupe_hash integer, checksum integer not null, format smallint not null,
  tenant text collate "C" not null, entry_id text collate "C" not null, kind text collate "C" not null,
  run_id text collate "C" not null, busy_policy text collate "C" not null, rolls_back text collate "C",
  sender_id text collate "C", dedupe_key text collate "C", status text collate "C" not null, place text collate "C",
  last_error text collate "C", reason text collate "C", into_run text collate "C", body text collate "C" not null,
  primary key (tenant, entry_id)
);
create unique index entries_by_run on entries (run_id, (tenant || ''), (case when kind = 'run' then 0 else key end));
create index entries_by_thread on entries ((thread_key + 0), key);
create index entries_not_accepted on entries (md5(tenant), status, key) where status <> 'accepted';
create index entries_by_dedupe_key on entries (thread_key, dedupe_hash) where dedupe_hash is not null;
create index entries_pending on entries (thread_key, place, priority desc, arrival) where place is not null;
create index entries_queued on entries (thread_key, available_at) where place = 'run';
create index entries_continuing on entries (thread_key, available_at) where place = 'run' and busy_policy = 'continue';

create table segments (
  run_key bigint not null, last_seq integer not null, first_seq integer not null, epoch integer not null,
  version integer not null, checksum integer not null, format smallint not null, body text collate "C" not null,
  primary key (run_key, last_seq)
);

create table snapshots (
  thread_key bigint not null, version integer not null,
  checksum integer not null, format smallint not null, body text collate "C" not null,
  primary key (thread_key, version)
);

create table retired_epochs (
  tenant text collate "C" not null, thread_id text collate "C" not null, epoch bigint not null,
  primary key (tenant, thread_id)
);

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
  tenant text collate "C" not null, ref text collate "C" not null, media_type text collate "C",
  created_at double precision not null, content bytea not null,
  primary key (tenant, ref)
);
`,
  `
alter table blobs alter column content drop not null, add column upload text collate "C", add column bytes bigint;

create table blob_parts (
  start bigint not null, upload text collate "C" not null, content bytea not null,
  primary key (upload, start)
);

create table blob_uploads (
  until double precision not null, upload text collate "C" not null,
  primary key (until, upload)
);
`,
];
