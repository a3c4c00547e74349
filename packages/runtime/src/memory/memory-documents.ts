import {
  assertDocumentName,
  assertId,
  assertRevision,
  clampLimit,
  compareIds,
  type Documents,
  documentText,
  type StoredDocument,
} from "@reprise/contracts";
import { parseJson } from "@reprise/state";
import type { MemoryPorts } from "./memory-ports.ts";

/** A document as it is kept: its body as text, which nobody can change. */
interface DocumentRow extends Omit<StoredDocument, "body"> {
  readonly text: string;
}

/** The documents of one tenant, by kind and id. */
export class DocumentShelf {
  readonly #kinds = new Map<string, Map<string, DocumentRow>>();
  #lastRevision = 0;

  /** Undefined also for one whose time is up. */
  find(kind: string, id: string, now: number): DocumentRow | undefined {
    const row = this.#kinds.get(kind)?.get(id);
    return row === undefined || isExpired(row, now) ? undefined : row;
  }

  /** Those whose time is not up, by id. */
  list(kind: string, now: number): readonly DocumentRow[] {
    const rows = [...(this.#kinds.get(kind)?.values() ?? [])].filter((row) => !isExpired(row, now));
    return rows.sort((one, other) => compareIds(one.id, other.id));
  }

  /** Puts a document in the place of the one before, under a revision that none ever had. */
  put(row: Omit<DocumentRow, "revision">): DocumentRow {
    this.#lastRevision += 1;
    const stored = { ...row, revision: this.#lastRevision };
    const documents = this.#kinds.get(row.kind) ?? new Map<string, DocumentRow>();
    this.#kinds.set(row.kind, documents.set(row.id, stored));
    return stored;
  }

  remove({ kind, id }: Pick<DocumentRow, "kind" | "id">): void {
    const documents = this.#kinds.get(kind);
    documents?.delete(id);
    if (documents?.size === 0) this.#kinds.delete(kind);
  }

  /** Forgets those whose time is up; says how many. */
  prune(now: number): number {
    const rows = [...this.#kinds.values()].flatMap((documents) => [...documents.values()]);
    const expired = rows.filter((row) => isExpired(row, now));
    for (const row of expired) this.remove(row);
    return expired.length;
  }
}

export function createMemoryDocuments(shelf: DocumentShelf, { clock }: Pick<MemoryPorts, "clock">): Documents {
  return {
    async loadDocument(kind, id) {
      assertDocumentName(kind, id);
      const row = shelf.find(kind, id, clock.now());
      return row && open(row);
    },
    async saveDocument(document, expected) {
      const text = documentText(document);
      assertRevision(expected);
      const { kind, id, expires_at } = document;
      const now = clock.now();
      const found = shelf.find(kind, id, now);
      if ((found?.revision ?? 0) !== expected) return { saved: false, document: found && open(found) };
      const expiry = expires_at === undefined ? {} : { expires_at };
      return { saved: true, document: open(shelf.put({ kind, id, text, updated_at: now, ...expiry })) };
    },
    async deleteDocument(kind, id, expected) {
      assertDocumentName(kind, id);
      if (expected !== undefined) assertRevision(expected);
      const found = shelf.find(kind, id, clock.now());
      if (found === undefined || found.revision !== (expected ?? found.revision)) return false;
      shelf.remove(found);
      return true;
    },
    async listDocuments({ kind, after, limit }) {
      assertId("kind", kind);
      if (after !== undefined) assertId("document", after);
      const rows = shelf.list(kind, clock.now());
      const rest = after === undefined ? rows : rows.filter(({ id }) => compareIds(id, after) > 0);
      const items = rest.slice(0, clampLimit(limit)).map(open);
      const last = items.at(-1);
      return { items, ...(last !== undefined && items.length < rest.length ? { next: last.id } : {}) };
    },
  };
}

function isExpired({ expires_at }: DocumentRow, now: number): boolean {
  return expires_at !== undefined && expires_at <= now;
}

function open({ text, ...row }: DocumentRow): StoredDocument {
  return { ...row, body: parseJson(text) };
}
