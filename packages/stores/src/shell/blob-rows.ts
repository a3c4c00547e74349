import type { BlobInfo } from "@reprise/contracts";

/** A blob as its row says. */
export interface BlobRow {
  readonly info: BlobInfo;
  /** Under which its parts are; null for one that lies whole in its row. */
  readonly upload: string | null;
  /** All of it, when it lies in its row and is no longer than a piece. */
  readonly content: Uint8Array | null;
}

export interface BlobKey {
  readonly tenant: string;
  readonly ref: string;
}

export interface LoosePage {
  readonly loose: readonly BlobKey[];
  /** The last one that was looked at; undefined when there are no more. */
  readonly next: BlobKey | undefined;
}

/** What was found of a page. */
export function loosePage(
  rows: readonly (BlobKey & { readonly is_loose: number | boolean })[],
  limit: number,
): LoosePage {
  const keys = rows.map(({ tenant, ref }) => ({ tenant, ref }));
  return { loose: keys.filter((_, index) => Boolean(rows[index]?.is_loose)), next: keys[limit - 1] };
}

/** A blob on its way: it may take its time, but not for ever. */
export interface Upload {
  /** An object of an object store has a name of its own: `objectUpload`. */
  readonly upload: string;
  readonly until: number;
}

const OBJECT = "object:";

/**
 * SQL that tells uploads whose bytes are in an object store from those whose parts are in the database. The names of the others are
 * UUIDs, which come before in the order of the index.
 */
export const IS_OBJECT: string = `upload >= '${OBJECT}'`;
export const HAS_PARTS: string = `upload < '${OBJECT}'`;

/** The name of an upload to an object store. */
export function objectUpload(key: string): string {
  return OBJECT + key;
}

/** The key of the object that an upload is; undefined when its parts are in the database. */
export function objectKeyOf(upload: string): string | undefined {
  return upload.startsWith(OBJECT) ? upload.slice(OBJECT.length) : undefined;
}

/** How long an upload may take. After that whatever there is of it is taken for left behind. */
export const UPLOAD_MS: number = 24 * 60 * 60 * 1_000;

/**
 * Blobs in the tables of a database. Small ones are a row. Larger ones are parts, written one after the other, and a row that makes
 * them a blob. Until then they are on the list of uploads. An upload that leaves the list without a row has no parts left.
 */
export interface BlobRows {
  find(tenant: string, ref: string): Promise<BlobRow | undefined>;
  /** What lies in a row and is longer than a piece: older versions put every blob as one. */
  loadContent(tenant: string, ref: string): Promise<Uint8Array | undefined>;
  /** The part that has this byte; undefined when it is gone. */
  loadPart(upload: string, at: number): Promise<{ readonly start: number; readonly content: Uint8Array } | undefined>;
  /**
   * A blob that is there is young again, and else as it was. Says what is known of it: who came first counts. A new one that the
   * quota has no room for is `BLOB_QUOTA_EXCEEDED`, decided in the transaction that writes it.
   */
  insert(tenant: string, info: BlobInfo, content: Uint8Array, quota: number | undefined): Promise<BlobInfo>;
  /** Begins an upload, under a name that is given or made here. */
  begin(name?: string): Promise<Upload>;
  /** False when the upload is no longer on the list. */
  addPart(upload: Upload, start: number, content: Uint8Array): Promise<boolean>;
  /**
   * Makes an upload the blob, in one transaction, unless that is there: then it is given up. Says what is known of the blob and keeps
   * to the quota, as `insert` does; undefined when the upload is no longer on the list.
   */
  finish(upload: Upload, tenant: string, info: BlobInfo, quota: number | undefined): Promise<BlobInfo | undefined>;
  /** Marks an upload as one to be removed. Nothing can be added to it any more. */
  giveUp(upload: Upload): Promise<void>;
  /** Looks at the next blobs of all tenants: which of them no thread refers to, and whose day is over. */
  pageLoose(after: BlobKey, limit: number): Promise<LoosePage>;
  /** Deletes a blob if that is still so, and marks its parts as to be removed. False when it is not. */
  collect(key: BlobKey): Promise<boolean>;
  usage(tenant: string): Promise<number>;
  /** Deletes the row of a blob, and marks its parts as to be removed. */
  delete(tenant: string, ref: string): Promise<void>;
  /** Removes a few parts that are to be removed, so that no caller waits long for it. True while there may be more. */
  sweep(): Promise<boolean>;
  /** A few uploads of objects that are to be removed. */
  listDoomedObjects(limit: number): Promise<readonly string[]>;
  /** Takes an upload off the list whose object is removed. */
  unlistObject(upload: string): Promise<void>;
}
