import { BLOB_PIECE_BYTES } from "@reprise/contracts";
import { TOUCH_EVERY_MS } from "../shell/blob-collection.ts";
import { HAS_PARTS, IS_OBJECT } from "../shell/blob-rows.ts";
import { type Prepared, prepared } from "./statement.ts";
import { NOW } from "./table.ts";

/** The store's time: the first value, or the server's when it is null. */
const TIME = `(select coalesce($1::float8, ${NOW}))`;

/** Lists the references of all threads, for the collection of blobs and for uploads. */
const REFS_LOCK = 7_361_204_981;

/** Taken with the first reference that a transaction adds: so it comes after who collects, or is seen by them. */
export const SHARE_REFS: string = `pg_advisory_xact_lock_shared(${REFS_LOCK})`;

const IS_BLOB = "tenant = $1 and ref = $2";

/** The length of a blob is known without reading it. */
const INFO = "media_type, coalesce(bytes, octet_length(content)) as bytes";

export const DESCRIBE: Prepared = prepared(`select ${INFO} from blobs where ${IS_BLOB}`);

/** With its content, when that is short. */
export const FIND: Prepared = prepared(
  `select ${INFO}, upload, case when octet_length(content) <= ${BLOB_PIECE_BYTES} then content end as content
   from blobs where ${IS_BLOB}`,
);

export const LOAD_CONTENT: Prepared = prepared(`select content from blobs where ${IS_BLOB} and content is not null`);

export const LOAD_PART: Prepared = prepared(
  `select start, content from blob_parts where upload = $1 and start <= $2::bigint order by start desc limit 1`,
);

/** Who puts a blob that is there makes it young again; not each time, since that writes its row. */
const TOUCH = `on conflict (tenant, ref) do update set created_at = excluded.created_at
  where blobs.created_at < excluded.created_at - ${TOUCH_EVERY_MS}`;

/** Names the blobs of a tenant to those who put some under its quota: each sees what the one before has put. */
const QUOTA_LOCK = 1_630_482;

export const LOCK_QUOTA: Prepared = prepared(`select pg_advisory_xact_lock(${QUOTA_LOCK}, hashtext($1))`);

const SUM =
  "select coalesce(sum(coalesce(bytes, octet_length(content))), 0)::float8 as bytes from blobs where tenant =";

/** The blob is there, or its tenant may have so many bytes more. */
function hasRoom({
  tenant,
  ref,
  bytes,
  quota,
}: Readonly<Record<"tenant" | "ref" | "bytes" | "quota", string>>): string {
  return `(${quota}::float8 is null or exists (select from blobs where tenant = ${tenant} and ref = ${ref})
    or (${SUM} ${tenant}) + ${bytes} <= ${quota}::float8)`;
}

export const INSERT: Prepared = prepared(
  `insert into blobs (tenant, ref, media_type, created_at, content) select $2, $3, $4, ${TIME}, $5::bytea
   where ${hasRoom({ tenant: "$2", ref: "$3", bytes: "octet_length($5::bytea)", quota: "$6" })}
   ${TOUCH}`,
);

/** It was put long ago. The first value is the time, the second how long ago. */
const IS_OLD = `blobs.created_at <= ${TIME} - $2::float8`;

const IS_REFERRED = "blob_refs.tenant = blobs.tenant and blob_refs.ref = blobs.ref";

/** The references of each blob apart: asked for with all of them, those of all blobs would be read. */
export const PAGE: Prepared = prepared(
  `select blobs.tenant, blobs.ref, ${IS_OLD} and found.ref is null as is_loose
   from (select tenant, ref, created_at from blobs
     where (tenant, ref) > ($3, $4) order by tenant, ref limit $5::bigint) as blobs
   left join lateral (select blob_refs.ref from blob_refs where ${IS_REFERRED} limit 1) as found on true
   order by blobs.tenant, blobs.ref`,
);

export const IS_REFERRED_BY_ANY: Prepared = prepared(
  "select ref from blob_refs where tenant = $1 and ref = $2 limit 1",
);

/** Waits for all who are adding references, and keeps others from it until the transaction ends. */
export const LOCK_REFS: Prepared = prepared(`select pg_advisory_xact_lock(${REFS_LOCK})`);

export const COLLECT: Prepared = prepared(
  `with gone as (delete from blobs where tenant = $3 and ref = $4 and ${IS_OLD}
     and not exists (select from blob_refs where blob_refs.tenant = $3 and blob_refs.ref = $4) returning upload),
   listed as (insert into blob_uploads (until, upload) select 0, upload from gone where upload is not null
     on conflict (until, upload) do nothing)
   select upload from gone`,
);

export const USAGE: Prepared = prepared(`${SUM} $1`);

export const READ_TIME: Prepared = prepared(`select ${TIME} as now`);

/** The time comes from outside: sent again, it must be the same row and no second one. */
export const LIST: Prepared = prepared(
  "insert into blob_uploads (until, upload) values ($1::float8, $2) on conflict (until, upload) do nothing",
);

/** Adding to an upload keeps other processes from giving it up meanwhile. */
export const LOCK: Prepared = prepared(
  `select upload from blob_uploads where until = $1::float8 and upload = $2 for update`,
);

/** Sent again when it is unknown whether it came, so it may be there. */
export const ADD_PART: Prepared = prepared(
  `insert into blob_parts (upload, start, content)
   select $2, $3::bigint, $4::bytea where exists (select from blob_uploads where until = $1::float8 and upload = $2)
   on conflict (upload, start) do nothing`,
);

export const INSERT_UPLOAD: Prepared = prepared(
  `insert into blobs (tenant, ref, media_type, created_at, upload, bytes)
   select $3, $4, $5, coalesce($7::float8, ${NOW}), $2, $6::bigint
   where exists (select from blob_uploads where until = $1::float8 and upload = $2)
   and ${hasRoom({ tenant: "$3", ref: "$4", bytes: "$6::bigint", quota: "$8" })}
   ${TOUCH}`,
);

/** Off the list with what became a blob. */
export const UNLIST: Prepared = prepared(
  `delete from blob_uploads where until = $1::float8 and upload = $2
   and exists (select from blobs where tenant = $3 and ref = $4 and blobs.upload is not distinct from $2)`,
);

/** Under another time than its owner knows, an upload has no owner: nothing more can be added to it. */
export const GIVE_UP: Prepared = prepared("update blob_uploads set until = 0 where until = $1::float8 and upload = $2");

export const GIVE_UP_LATE: Prepared = prepared(
  `update blob_uploads set until = 0 where until > 0 and until <= ${TIME}`,
);

export const DELETE: Prepared = prepared(
  `with gone as (delete from blobs where ${IS_BLOB} returning upload)
   insert into blob_uploads (until, upload) select 0, upload from gone where upload is not null
   on conflict (until, upload) do nothing`,
);

/** Parts of one upload that is to be removed. */
export const REMOVE_PARTS: Prepared = prepared(
  `delete from blob_parts using (
     select upload, start from blob_parts
     where upload = (select upload from blob_uploads where until = 0 and ${HAS_PARTS} order by upload limit 1)
     order by start limit $1::bigint) as doomed
   where blob_parts.upload = doomed.upload and blob_parts.start = doomed.start returning blob_parts.start`,
);

/** Off the list with what has no parts any more. */
export const UNLIST_REMOVED: Prepared = prepared(
  `delete from blob_uploads where until = 0 and ${HAS_PARTS}
   and not exists (select from blob_parts where blob_parts.upload = blob_uploads.upload)`,
);

export const LIST_DOOMED_OBJECTS: Prepared = prepared(
  `select upload from blob_uploads where until = 0 and ${IS_OBJECT} order by upload limit $1::bigint`,
);

export const UNLIST_OBJECT: Prepared = prepared("delete from blob_uploads where until = 0 and upload = $1");
