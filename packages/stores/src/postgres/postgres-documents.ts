import type { Clock } from "@reprise/contracts";
import type { StoredText } from "../codec/stored-text.ts";
import type { DocumentAnswer, DocumentKey, DocumentRow, DocumentRows, SealedDocument } from "../shell/document-rows.ts";
import type { Database } from "./database.ts";
import { DELETE, INSERT, LIST, LOAD, PRUNE, UPDATE } from "./document-statements.ts";
import { pauseBefore } from "./pause.ts";
import { doubtful, fromPostgresError, isConnectionLost, isRace } from "./postgres-errors.ts";
import { type Results, rowsOf } from "./session.ts";
import type { Query, SqlValue } from "./statement.ts";

interface WrittenColumns {
  readonly revision: number;
  readonly updated_at: number;
}

interface DocumentColumns extends WrittenColumns, StoredText {
  readonly id: string;
  readonly expires_at: number | null;
}

/** Where the isolation is stricter than usual, whoever was late is told so as an error and looks again. */
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
