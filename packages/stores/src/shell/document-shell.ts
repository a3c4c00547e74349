import {
  assertDocumentName,
  assertId,
  assertRevision,
  clampLimit,
  type Documents,
  documentText,
  type StoredDocument,
} from "@reprise/contracts";
import type { Json } from "@reprise/state";
import { parseText, readText, storeText } from "../codec/stored-text.ts";
import type { DocumentRow, DocumentRows } from "./document-rows.ts";

/** The documents of a tenant: names are checked, bodies sealed and opened here. */
export function createDocuments(tenant: string, rows: DocumentRows): Documents {
  return {
    async loadDocument(kind, id) {
      assertDocumentName(kind, id);
      const row = await rows.load({ tenant, kind, id });
      return row && openDocument(row);
    },
    async saveDocument(document, expected) {
      const text = storeText(documentText(document));
      assertRevision(expected);
      const { kind, id, expires_at = null } = document;
      const { saved, row } = await rows.save({ tenant, kind, id, expires_at, text }, expected);
      const opened = row && openDocument(row);
      return saved && opened !== undefined ? { saved, document: opened } : { saved: false, document: opened };
    },
    async deleteDocument(kind, id, expected) {
      assertDocumentName(kind, id);
      if (expected !== undefined) assertRevision(expected);
      return rows.delete({ tenant, kind, id }, expected ?? null);
    },
    async listDocuments({ kind, after, limit }) {
      assertId("kind", kind);
      if (after !== undefined) assertId("document", after);
      const count = clampLimit(limit);
      // One more than asked for says whether there are more.
      const found = await rows.list({ tenant, kind, after: after ?? "", limit: count + 1 });
      const items = found.slice(0, count).map(openDocument);
      const last = items.at(-1);
      return { items, ...(last !== undefined && found.length > count ? { next: last.id } : {}) };
    },
  };
}

function openDocument({ kind, id, revision, updated_at, expires_at, text }: DocumentRow): StoredDocument {
  // Written by `saveDocument`.
  const body = parseText("document", readText("document", text)) as Json;
  return { kind, id, revision, body, updated_at, ...(expires_at === null ? {} : { expires_at }) };
}
