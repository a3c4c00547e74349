import type { Clock } from "@reprise/contracts";
import type { StoredText } from "../codec/stored-text.ts";
import type { DocumentAnswer, DocumentKey, DocumentRow, DocumentRows, SealedDocument } from "../shell/document-rows.ts";
import type { Database } from "./database.ts";
import { pauseBefore } from "./pause.ts";
import { doubtful, fromPostgresError, isConnectionLost, isRace } from "./postgres-errors.ts";
import { type Results, rowsOf } from "./session.ts";
import { type Prepared, prepared, type Query, type SqlValue } from "./statement.ts";
import { NOW } from "./table.ts";

/** The store's time: the first value, or the server's when it is null. Rows can be found by a subselect, not by a clock. */
const TIME = `(select coalesce($1::float8, ${NOW}))`;

const IS_THERE = `(expires_at is null or expires_at > ${TIME})`;

const PLACE = "tenant = $2 and kind = $3 and id = $4";

const COLUMNS = "id, revision, updated_at, expires_at, format, checksum, body";

const LOAD: Prepared = prepared(`select ${COLUMNS} from documents where ${PLACE} and ${IS_THERE}`);

/** For a document that is not there. One whose time is up is in the way of its row, and gives it up. */
const INSERT: Prepared = prepared(
  `insert into documents (tenant, kind, id, expires_at, updated_at, format, checksum, body)
   values ($2, $3, $4, $5::float8, ${TIME}, $6::smallint, $7::integer, $8)
   on conflict (tenant, kind, id) do update set revision = default, expires_at = excluded.expires_at,
     updated_at = excluded.updated_at, format = excluded.format, checksum = excluded.checksum, body = excluded.body
   where documents.expires_at <= ${TIME} returning revision, updated_at`,
);

/** For a document at a revision. */
const UPDATE: Prepared = prepared(
  `update documents set revision = default, expires_at = $5::float8, updated_at = ${TIME}, format = $6::smallint,
     checksum = $7::integer, body = $8
   where ${PLACE} and revision = $9::bigint and ${IS_THERE} returning revision, updated_at`,
);

const DELETE: Prepared = prepared(
  `delete from documents where ${PLACE} and revision = coalesce($5::bigint, revision) and ${IS_THERE} returning revision`,
);

const LIST: Prepared = prepared(
  `select ${COLUMNS} from documents where tenant = $2 and kind = $3 and id > $4 and ${IS_THERE}
   order by id limit $5::bigint`,
);

/** A row that is being saved is skipped: it will be a new one. */
const PRUNE: Prepared = prepared(
  `delete from documents where (tenant, kind, id) in (
     select tenant, kind, id from documents where expires_at <= ${TIME}
     order by expires_at limit $2::bigint for update skip locked) returning revision`,
);

interface WrittenColumns {
  readonly revision: number;
  readonly updated_at: number;
}

interface DocumentColumns extends WrittenColumns, StoredText {
  readonly id: string;
  readonly expires_at: number | null;
}

/** Under a stricter isolation level than usual, the slower writer gets an error and looks again. */
const MAX_ATTEMPTS = 5;

/** Documents in a Postgres database: each operation is one statement. `clock` is the store's time, the server's unless given. */
export function createPostgresDocuments(database: Database, clock: Pick<Clock, "now"> | undefined): DocumentRows {
  const now = (): number | null => clock?.now() ?? null;
  return {
    async load(key) {
      return found(await database.read([LOAD(now(), ...valuesOf(key))]), key);
    },
    async save(document, expected) {
      const time = now();
      const write = saveQuery(document, expected, time);
      // The second one sees what the first one waited for.
      return toAnswer(await writeOnce(database, [write, LOAD(time, ...valuesOf(document))]), document);
    },
    async delete(key, expected) {
      const results = await writeOnce(database, [DELETE(now(), ...valuesOf(key), expected)]);
      return rowsOf(results).length > 0;
    },
    async list({ tenant, kind, after, limit }) {
      const results = await database.read([LIST(now(), tenant, kind, after, limit)]);
      return rowsOf<DocumentColumns>(results).map((columns) => toRow({ tenant, kind }, columns));
    },
    async prune(limit) {
      return rowsOf(await writeOnce(database, [PRUNE(now(), limit)])).length;
    },
  };
}

function saveQuery(document: SealedDocument, expected: number, time: number | null): Query {
  const { format, checksum, body } = document.text;
  // Postgres has only numbers with a sign for the 32 bits of a checksum.
  const values = [time, ...valuesOf(document), document.expires_at, format, checksum | 0, body];
  return expected === 0 ? INSERT(...values) : UPDATE(...values, expected);
}

/** In one round trip. What is not known to have failed is not tried again: the second time it would be in its own way. */
async function writeOnce(database: Database, queries: readonly Query[]): Promise<Results> {
  for (let attempt = 1; ; attempt += 1) {
    await pauseBefore(attempt);
    try {
      return await database.use((session) => session.run(queries));
    } catch (error) {
      if (isRace(error) && attempt < MAX_ATTEMPTS) continue;
      throw isConnectionLost(error) ? doubtful(fromPostgresError(error)) : fromPostgresError(error);
    }
  }
}

function valuesOf({ tenant, kind, id }: DocumentKey): readonly SqlValue[] {
  return [tenant, kind, id];
}

function toAnswer(results: Results, document: SealedDocument): DocumentAnswer {
  const [written] = rowsOf<WrittenColumns>(results);
  if (written !== undefined) return { saved: true, row: { ...document, ...written } };
  return { saved: false, row: found(results, document, 1) };
}

function found(results: Results, key: DocumentKey, index = 0): DocumentRow | undefined {
  const [columns] = rowsOf<DocumentColumns>(results, index);
  return columns && toRow(key, columns);
}

function toRow(
  { tenant, kind }: Omit<DocumentKey, "id">,
  { id, revision, updated_at, expires_at, format, checksum, body }: DocumentColumns,
): DocumentRow {
  return { tenant, kind, id, revision, updated_at, expires_at, text: { format, checksum, body } };
}
