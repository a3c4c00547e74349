import { type Prepared, prepared } from "./statement.ts";
import { NOW } from "./table.ts";

/** The store's time: the first value, or the server's when it is null. Rows can be found by a subselect, not by a clock. */
const TIME = `(select coalesce($1::float8, ${NOW}))`;

const IS_THERE = `(expires_at is null or expires_at > ${TIME})`;

const PLACE = "tenant = $2 and kind = $3 and id = $4";

const COLUMNS = "id, revision, updated_at, expires_at, format, checksum, body";

export const LOAD: Prepared = prepared(`select ${COLUMNS} from documents where ${PLACE} and ${IS_THERE}`);

/** For a document that is not there. One whose time is up is in the way of its row, and gives it up. */
export const INSERT: Prepared = prepared(
  `insert into documents (tenant, kind, id, expires_at, updated_at, format, checksum, body)
   values ($2, $3, $4, $5::float8, ${TIME}, $6::smallint, $7::integer, $8)
   on conflict (tenant, kind, id) do update set revision = default, expires_at = excluded.expires_at,
     updated_at = excluded.updated_at, format = excluded.format, checksum = excluded.checksum, body = excluded.body
   where documents.expires_at <= ${TIME} returning revision, updated_at`,
);

/** For a document at a revision. */
export const UPDATE: Prepared = prepared(
  `update documents set revision = default, expires_at = $5::float8, updated_at = ${TIME}, format = $6::smallint,
     checksum = $7::integer, body = $8
   where ${PLACE} and revision = $9::bigint and ${IS_THERE} returning revision, updated_at`,
);

export const DELETE: Prepared = prepared(
  `delete from documents where ${PLACE} and revision = coalesce($5::bigint, revision) and ${IS_THERE} returning revision`,
);

export const LIST: Prepared = prepared(
  `select ${COLUMNS} from documents where tenant = $2 and kind = $3 and id > $4 and ${IS_THERE}
   order by id limit $5::bigint`,
);

/** A row that somebody is just saving is passed over: it will be a new one. */
export const PRUNE: Prepared = prepared(
  `delete from documents where (tenant, kind, id) in (
     select tenant, kind, id from documents where expires_at <= ${TIME}
     order by expires_at limit $2::bigint for update skip locked) returning revision`,
);
