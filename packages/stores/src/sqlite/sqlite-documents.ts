import type { DocumentRows } from "../shell/document-rows.ts";
import type { Connection } from "./connection.ts";
import { listDocuments, loadDocument } from "./document-tasks.ts";
import type { WriterTask } from "./writer-task.ts";

/** What documents need of an open file. */
export interface DocumentPorts {
  /** For reading. */
  readonly connection: Connection;
  readonly now: () => number;
  write<Answer>(task: WriterTask): Promise<Answer>;
}

/** Documents in a SQLite file: writes go to the writer and share its transactions, reads are done here. */
export function createSqliteDocuments({ connection, now, write }: DocumentPorts): DocumentRows {
  return {
    load: async (key) => loadDocument(connection, key, now()),
    save: (document, expected) => write({ task: "save_document", now: now(), document, expected }),
    delete: (key, expected) => write({ task: "delete_document", now: now(), key, expected }),
    list: async (list) => listDocuments(connection, list, now()),
    prune: (limit) => write({ task: "prune_documents", now: now(), limit }),
  };
}
