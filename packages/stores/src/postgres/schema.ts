/**
 * The tables, step by step: a schema is brought from the step it is at to the last one, and one that is further than we know is
 * refused. A step that was ever released is never changed.
 *
 * The tenant leads every key, and every row names its thread: what an operation needs is known from its request, so that all
 * of it is read, and all of it written, in one round trip. Texts are compared by their bytes (`C`), which is quick and the same
 * everywhere. Bodies are `text`, never `jsonb`: what was stored comes back character by character. Free text and ids that are
 * looked for and rarely found are indexed by a hash, so that their length does not matter. `key` is the order of storing.
 * Times and priorities are any numbers.
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
  pruned_version bigint not null default 0,
  format integer not null, checksum bigint not null, metadata text collate "C" not null,
  primary key (tenant, thread_id)
) with (fillfactor = 70);
create index threads_by_key on threads (tenant, key);
create index threads_by_resource on threads (tenant, md5(resource_id), key) where resource_id is not null;
create index threads_by_parent on threads (tenant, md5(parent_thread_id), key) where parent_thread_id is not null;
create index threads_with_work on threads (work_rank, work_at) where work_at is not null;
create index threads_by_owner on threads (md5(claim_owner)) where claim_owner is not null;

create table changesets (
  tenant text collate "C" not null, thread_id text collate "C" not null, version bigint not null,
  changeset_id text collate "C" not null, id_hash bigint not null, run_id text collate "C",
  first_position bigint not null, messages bigint not null, segments text collate "C",
  format integer not null, checksum bigint not null, body text collate "C" not null,
  patches_checksum bigint not null, patches text collate "C" not null,
  primary key (tenant, thread_id, version)
);
create index changesets_by_id on changesets (tenant, thread_id, id_hash);

create table messages (
  tenant text collate "C" not null, thread_id text collate "C" not null, position bigint not null,
  id text collate "C" not null, id_hash bigint not null, version bigint not null,
  is_internal integer not null, superseded_version bigint,
  format integer not null, checksum bigint not null, body text collate "C" not null,
  primary key (tenant, thread_id, position)
);
create index messages_by_id on messages (tenant, thread_id, id_hash);

create table runs (
  tenant text collate "C" not null, run_id text collate "C" not null, thread_id text collate "C" not null,
  key bigint generated always as identity,
  parent_run_id text collate "C", agent_id text collate "C" not null, status text collate "C" not null,
  origin text collate "C" not null, termination_code text collate "C",
  created_at double precision not null, updated_at double precision not null,
  format integer not null, checksum bigint not null, body text collate "C" not null,
  primary key (tenant, run_id)
) with (fillfactor = 80);
create index runs_by_time on runs (tenant, created_at, key);
create index runs_by_thread on runs (tenant, thread_id, created_at, key);
create index runs_by_parent on runs (tenant, md5(parent_run_id), created_at) where parent_run_id is not null;
create index runs_open on runs (tenant, status, created_at) where status <> 'done';

create table calls (
  tenant text collate "C" not null, run_id text collate "C" not null, call_id text collate "C" not null,
  thread_id text collate "C" not null, key bigint generated always as identity,
  status text collate "C" not null,
  format integer not null, checksum bigint not null, body text collate "C" not null,
  primary key (tenant, run_id, call_id)
) with (fillfactor = 80);
create index calls_by_thread on calls (tenant, thread_id, key);
create index calls_by_status on calls (tenant, status, key);

create table decisions (
  tenant text collate "C" not null, run_id text collate "C" not null, call_id text collate "C" not null,
  suspension bigint not null, key bigint generated always as identity,
  is_pending integer not null, wake_entry_id text collate "C",
  format integer not null, checksum bigint not null, body text collate "C" not null,
  primary key (tenant, run_id, call_id, suspension)
);
create index decisions_pending on decisions (tenant, run_id, key) where is_pending = 1;

create table entries (
  tenant text collate "C" not null, entry_id text collate "C" not null, thread_id text collate "C" not null,
  key bigint generated always as identity, arrival bigint not null,
  kind text collate "C" not null, run_id text collate "C" not null, busy_policy text collate "C" not null,
  rolls_back text collate "C", sender_id text collate "C", priority double precision not null,
  dedupe_key text collate "C", dedupe_hash bigint, generation bigint not null, created_at double precision not null,
  status text collate "C" not null, place text collate "C", available_at double precision not null,
  attempts bigint not null, last_error text collate "C", reason text collate "C", into_run text collate "C",
  updated_at double precision not null, texts_version bigint,
  format integer not null, checksum bigint not null, body text collate "C" not null,
  primary key (tenant, entry_id)
) with (fillfactor = 80);
create index entries_by_run on entries (tenant, run_id);
create unique index entries_to_start on entries (tenant, run_id) where kind = 'run';
create index entries_by_thread on entries (tenant, thread_id, key);
create index entries_not_accepted on entries (tenant, status, key) where status <> 'accepted';
create index entries_by_dedupe_key on entries (tenant, thread_id, dedupe_hash) where dedupe_hash is not null;
create index entries_pending on entries (tenant, thread_id, place, priority desc, arrival) where place is not null;
create index entries_queued on entries (tenant, thread_id, available_at) where place = 'run';
create index entries_continuing on entries (tenant, thread_id, available_at)
  where place = 'run' and busy_policy = 'continue';

create table segments (
  tenant text collate "C" not null, run_id text collate "C" not null, last_seq bigint not null,
  first_seq bigint not null, epoch bigint not null, thread_id text collate "C" not null, version bigint not null,
  format integer not null, checksum bigint not null, body text collate "C" not null,
  primary key (tenant, run_id, last_seq)
);

create table snapshots (
  tenant text collate "C" not null, thread_id text collate "C" not null, version bigint not null,
  format integer not null, checksum bigint not null, body text collate "C" not null,
  primary key (tenant, thread_id, version)
);

create table retired_epochs (
  tenant text collate "C" not null, thread_id text collate "C" not null, epoch bigint not null,
  primary key (tenant, thread_id)
);

create table blobs (
  tenant text collate "C" not null, ref text collate "C" not null, media_type text collate "C",
  created_at double precision not null, content bytea not null,
  primary key (tenant, ref)
);
`,
];
