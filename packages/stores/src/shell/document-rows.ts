import type { StoredText } from "../codec/stored-text.ts";

/** Which document of which tenant. All are ids that obey `assertId`. */
export interface DocumentKey {
  readonly tenant: string;
  readonly kind: string;
  readonly id: string;
}

/** A document to be written. */
export interface SealedDocument extends DocumentKey {
  readonly expires_at: number | null;
  readonly text: StoredText;
}

/** A document as it lies in its row. */
export interface DocumentRow extends SealedDocument {
  readonly revision: number;
  readonly updated_at: number;
}

/** What came of a save: the row as it was written, or the one that was in the way. */
export interface DocumentAnswer {
  readonly saved: boolean;
  readonly row: DocumentRow | undefined;
}

/**
 * The documents of a database, row by row. A row whose time is up is not there. A write is all or nothing, in one transaction;
 * each gets a revision higher than any before under its name, also than those of rows that are gone.
 */
export interface DocumentRows {
  load(key: DocumentKey): Promise<DocumentRow | undefined>;
  /** Writes if the row has this revision; 0: if there is none. */
  save(document: SealedDocument, expected: number): Promise<DocumentAnswer>;
  /** Whether one was there, with this revision unless it is null. */
  delete(key: DocumentKey, expected: number | null): Promise<boolean>;
  /** By id, from the one after `after` on, which may be empty. */
  list(
    list: Omit<DocumentKey, "id"> & { readonly after: string; readonly limit: number },
  ): Promise<readonly DocumentRow[]>;
  /** Takes rows away whose time is up, of all tenants, at most so many. Says how many. */
  prune(limit: number): Promise<number>;
}
