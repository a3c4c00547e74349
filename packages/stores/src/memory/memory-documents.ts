import type { DocumentKey, DocumentRow, DocumentRows } from "../shell/document-rows.ts";
import { DocumentIndex } from "../tables/document-index.ts";

/** Documents in memory. Their bodies are texts, which nobody can change. */
export function createMemoryDocuments(now: () => number): DocumentRows {
  const index = new DocumentIndex<DocumentRow>();
  let lastRevision = 0;
  const find = (key: DocumentKey): DocumentRow | undefined => index.find(key, now());
  return {
    load: async (key) => find(key),
    async save(document, expected) {
      const found = find(document);
      if ((found?.revision ?? 0) !== expected) return { saved: false, row: found };
      lastRevision += 1;
      const row = { ...document, revision: lastRevision, updated_at: now() };
      index.put(row);
      return { saved: true, row };
    },
    async delete(key, expected) {
      const found = find(key);
      if (found === undefined || found.revision !== (expected ?? found.revision)) return false;
      index.remove(found);
      return true;
    },
    list: async ({ tenant, kind, after, limit }) => index.after({ tenant, kind, id: after }, limit, now()),
    async prune(limit) {
      const expired = index.expired(limit, now());
      for (const row of expired) index.remove(row);
      return expired.length;
    },
  };
}
