import { isJson, type Json } from "@reprise/state";
import { invalidRequest } from "../errors/reprise-error.ts";
import { assertId } from "../thread/assert-id.ts";

/** Something small a tenant keeps outside of threads: a budget, a setting, a key, an answer given before. */
export interface StoredDocument {
  readonly kind: string;
  readonly id: string;
  /** Higher with every save. No two states of a document ever have the same, also not after it was deleted and made anew. */
  readonly revision: number;
  readonly body: Json;
  readonly updated_at: number;
  /** In the store's time. */
  readonly expires_at?: number;
}

export interface NewDocument {
  readonly kind: string;
  readonly id: string;
  readonly body: Json;
  /** From then on it is not there any more. Left out, it stays. A save that leaves it out takes an earlier one away. */
  readonly expires_at?: number;
}

/** The result of a compare-and-set, with the document as it is now: the saved one, or the one that prevented the save, if any. */
export type SavedDocument =
  | { readonly saved: true; readonly document: StoredDocument }
  | { readonly saved: false; readonly document: StoredDocument | undefined };

export interface DocumentQuery {
  readonly kind: string;
  /** Only those with a higher id: the `next` of the page before. */
  readonly after?: string;
  readonly limit?: number;
}

export interface DocumentPage {
  readonly items: readonly StoredDocument[];
  /** The id to continue after; absent when there are no more. */
  readonly next?: string;
}

/** How long a body may be as JSON, in bytes of UTF-8. */
export const MAX_DOCUMENT_BYTES = 262_144;

/**
 * Small things by kind and id. The same id in two kinds is two documents.
 *
 * - A save is one conditional write: of any number at once with the same expectation, in any process, one is saved, and each of
 *   the others gets a document that was written since.
 * - Revisions only rise and are never used again: a writer that read a document which is deleted or expired by now cannot overwrite
 *   the one that was made under its id since. They need not follow each other.
 * - A document whose `expires_at` has come is not there, by the store's time: it is not read, not listed, not deleted, and its
 *   id can be saved as a new one. `prune` takes it away.
 * - Kinds and ids obey `assertId` (`INVALID_ID`, in every method). A body that is no JSON, nests too deep or is longer than
 *   `MAX_DOCUMENT_BYTES`, a time that is no number and an expectation that is no whole number are an `INVALID_REQUEST`.
 * - A body that is damaged is `CORRUPT_DATA` to readers; it can be overwritten and deleted.
 * - After a write that throws `STORE_UNAVAILABLE`, it is unknown whether it happened.
 */
export interface Documents {
  loadDocument(kind: string, id: string): Promise<StoredDocument | undefined>;
  /** Writes if the document has this revision; 0: if there is none. */
  saveDocument(document: NewDocument, expected: number): Promise<SavedDocument>;
  /** True when one was there, with this revision if one is given, and is gone now. */
  deleteDocument(kind: string, id: string, expected?: number): Promise<boolean>;
  /** By id, in the order of `compareIds`. */
  listDocuments(query: DocumentQuery): Promise<DocumentPage>;
}

/** Where a list of documents continues, and how long it may be. */
export type DocumentListOptions = Omit<DocumentQuery, "kind">;

/**
 * Documents of one kind that a plugin or a tool keeps for the tenant, outside of threads. The answers are stored with the run: a replay reads
 * what the run read, and writes nothing. A crash between a write and the next commit repeats the write, so use `expected`.
 */
export interface KeptDocuments {
  load(id: string): Promise<StoredDocument | undefined>;
  /** Writes if the document has the revision `expected`; 0 means that there is none. Never throws for a conflict. */
  save(id: string, body: Json, expected: number, options?: { readonly expiresAt?: number }): Promise<SavedDocument>;
  /** True when the document was there, with the revision `expected` if one is given, and is deleted now. */
  delete(id: string, expected?: number): Promise<boolean>;
  /** In the order of ids. */
  list(options?: DocumentListOptions): Promise<DocumentPage>;
}

/** The kind under which `Documents` has what plugins and tools keep as `kind`. It is apart from the runtime's own, such as budgets and API keys. */
export function keptKind(kind: string): string {
  return `plugin.${kind}`;
}

/** How many documents are forgotten at once, so that no write waits long for it. */
const FORGOTTEN_AT_ONCE = 500;

/** Forgets all documents whose time is up, some at a time. `forget` takes at most so many and says how many it took. */
export async function pruneDocuments(
  forget: (limit: number) => Promise<number>,
  signal?: AbortSignal,
): Promise<number> {
  let sum = 0;
  for (let forgotten = FORGOTTEN_AT_ONCE; forgotten === FORGOTTEN_AT_ONCE; sum += forgotten) {
    signal?.throwIfAborted();
    forgotten = await forget(FORGOTTEN_AT_ONCE);
  }
  return sum;
}

/** The order of ids: by character, as databases have it. Comparing strings would sort some characters by their halves. */
export function compareIds(one: string, other: string): number {
  if (one === other) return 0;
  let at = 0;
  while (one.charCodeAt(at) === other.charCodeAt(at)) at += 1;
  return orderOf(one.charCodeAt(at)) - orderOf(other.charCodeAt(at));
}

/** Halves stand for characters behind all others. Behind its end a text has no number, and comes first. */
function orderOf(unit: number): number {
  if (Number.isNaN(unit)) return -1;
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

/** Refuses a name that no document can have. */
export function assertDocumentName(kind: string, id: string): void {
  assertId("kind", kind);
  assertId("document", id);
}

/** Refuses an expectation that is no revision. */
export function assertRevision(expected: number): void {
  if (Number.isSafeInteger(expected) && expected >= 0) return;
  throw invalidRequest(`The expected revision of a document must be a whole number from 0 (got ${expected}).`);
}

/** The text of a document's body, which is what a store keeps of it. Refuses a document that cannot be kept. */
export function documentText({ kind, id, body, expires_at }: NewDocument): string {
  assertDocumentName(kind, id);
  const what = `Document ${id} of kind ${kind}`;
  if (expires_at !== undefined && !Number.isFinite(expires_at))
    throw invalidRequest(`${what} must have an expires_at in milliseconds.`);
  if (!isJson(body)) throw invalidRequest(`${what} must have a body of JSON that is not nested too deep.`);
  const text = JSON.stringify(body);
  const bytes = new TextEncoder().encode(text).byteLength;
  if (bytes <= MAX_DOCUMENT_BYTES) return text;
  const message = `${what} has a body of ${bytes} bytes; the limit is ${MAX_DOCUMENT_BYTES}.`;
  throw invalidRequest(message, { bytes, limit: MAX_DOCUMENT_BYTES });
}
