import {
  type DocumentPage,
  type Documents,
  type KeptDocuments,
  keptKind,
  type SavedDocument,
  type StoredDocument,
} from "@reprise/contracts";
import type { Json } from "@reprise/state";

type RecordAnswer = (name: string, ask: () => Promise<Json>) => Promise<Json>;

/** The documents of one kind. Every answer passes through `record`, so that a replay has it without a store. */
export function keptDocuments(documents: Documents, kind: string, record: RecordAnswer): KeptDocuments {
  const stored = keptKind(kind);
  // Answers of the store are made of JSON; their interfaces hide it.
  const ask = async (name: string, run: () => Promise<unknown>): Promise<unknown> =>
    (await record(`documents ${kind} ${name}`, async () => ((await run()) ?? null) as Json)) ?? undefined;
  return {
    load: async (id) =>
      (await ask(`load ${id}`, () => documents.loadDocument(stored, id))) as StoredDocument | undefined,
    save: async (id, body, expected, { expiresAt } = {}) => {
      const document = { kind: stored, id, body, ...(expiresAt !== undefined && { expires_at: expiresAt }) };
      const saved = (await ask(`save ${id}`, () => documents.saveDocument(document, expected))) as SavedDocument;
      // JSON has no undefined: the field is absent in an answer that was stored.
      return saved.saved ? saved : { saved: false, document: saved.document };
    },
    delete: async (id, expected) =>
      (await ask(`delete ${id}`, () => documents.deleteDocument(stored, id, expected))) as boolean,
    list: async (options = {}) =>
      (await ask("list", () => documents.listDocuments({ ...options, kind: stored }))) as DocumentPage,
  };
}
