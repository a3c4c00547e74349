import type { DocumentAnswer, DocumentKey, DocumentRow } from "../shell/document-rows.ts";
import type { Connection } from "./connection.ts";
import type { WriterTask } from "./writer-task.ts";

type Task<Name extends WriterTask["task"]> = Extract<WriterTask, { readonly task: Name }>;

/** The columns of a row beside its place. */
interface DocumentColumns {
  readonly revision: number;
  readonly updated_at: number;
  readonly expires_at: number | null;
  readonly format: number;
  readonly checksum: number;
  readonly body: string;
}

const SELECT = `select revision, updated_at, expires_at, format, checksum, body from documents
  where tenant = :tenant and kind = :kind and id = :id and (expires_at is null or expires_at > :now)`;

/** A row in the place of another is a new one, with a number that no row ever had. */
const SAVE = `insert or replace into documents (tenant, kind, id, updated_at, expires_at, format, checksum, body)
  values (:tenant, :kind, :id, :now, :expires_at, :format, :checksum, :body) returning revision`;

const DELETE = `delete from documents where tenant = :tenant and kind = :kind and id = :id
  and revision = coalesce(:expected, revision) and (expires_at is null or expires_at > :now) returning revision`;

const LIST = `select id, revision, updated_at, expires_at, format, checksum, body from documents
  where tenant = :tenant and kind = :kind and id > :after and (expires_at is null or expires_at > :now)
  order by id limit :limit`;

const PRUNE = `delete from documents
  where revision in (select revision from documents where expires_at <= :now order by expires_at limit :limit)
  returning revision`;

export function loadDocument(connection: Connection, key: DocumentKey, now: number): DocumentRow | undefined {
  const { tenant, kind, id } = key;
  const columns = connection.get<DocumentColumns>(SELECT, { tenant, kind, id, now });
  return columns && toRow(key, columns);
}

/** By id; `after` may be empty. */
export function listDocuments(
  connection: Connection,
  list: Omit<DocumentKey, "id"> & { readonly after: string; readonly limit: number },
  now: number,
): readonly DocumentRow[] {
  const { tenant, kind, after, limit } = list;
  const rows = connection.all<DocumentColumns & { readonly id: string }>(LIST, { tenant, kind, after, limit, now });
  return rows.map(({ id, ...columns }) => toRow({ tenant, kind, id }, columns));
}

/** No other process writes between the look and the write: it is the transaction of the only writer. */
export function saveDocument(
  connection: Connection,
  { document, expected, now }: Task<"save_document">,
): DocumentAnswer {
  const found = loadDocument(connection, document, now);
  if ((found?.revision ?? 0) !== expected) return { saved: false, row: found };
  const { text, ...columns } = document;
  const written = connection.get<{ readonly revision: number }>(SAVE, { ...columns, ...text, now });
  return { saved: true, row: { ...document, updated_at: now, revision: written?.revision ?? 0 } };
}

export function deleteDocument(
  connection: Connection,
  { key: { tenant, kind, id }, expected, now }: Task<"delete_document">,
): boolean {
  return connection.get(DELETE, { tenant, kind, id, expected, now }) !== undefined;
}

export function pruneDocuments(connection: Connection, { now, limit }: Task<"prune_documents">): number {
  return connection.all(PRUNE, { now, limit }).length;
}

function toRow(
  { tenant, kind, id }: DocumentKey,
  { format, checksum, body, revision, updated_at, expires_at }: DocumentColumns,
): DocumentRow {
  return { tenant, kind, id, revision, updated_at, expires_at, text: { format, checksum, body } };
}
