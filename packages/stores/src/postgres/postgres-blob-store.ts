import { randomUUID } from "node:crypto";
import type { BlobInfo, Clock } from "@reprise/contracts";
import { optionalProperty, optionalText } from "../codec/columns/column-values.ts";
import { assertQuota, COLLECT_AFTER_MS } from "../shell/blob-collection.ts";
import { type BlobKey, type BlobRows, loosePage, UPLOAD_MS } from "../shell/blob-rows.ts";
import * as statements from "./blob-statements.ts";
import { storedId } from "./hostile-values.ts";
import type { Ask } from "./select-commits.ts";
import { type Results, rowsOf } from "./session.ts";
import type { Query } from "./statement.ts";

interface InfoColumns {
  readonly media_type: string | null;
  readonly bytes: number;
}

interface BlobColumns extends InfoColumns {
  readonly upload: string | null;
  readonly content: Uint8Array | null;
}

interface PartColumns {
  readonly start: number;
  readonly content: Uint8Array;
}

/** How many parts are removed in one statement. */
const PARTS_AT_ONCE = 16;

/**
 * Blobs beside the threads, in the same database: one thing to back up, one durability. Everything may be sent twice, when a
 * connection is lost before its answer. `clock` is the store's time, the server's unless given.
 */
export function createPostgresBlobRows(ask: Ask, clock: Pick<Clock, "now"> | undefined): BlobRows {
  const now = (): number | null => clock?.now() ?? null;
  return {
    async find(tenant, ref) {
      const [found] = rowsOf<BlobColumns>(await ask([statements.FIND(storedId(tenant), storedId(ref))]));
      return found && { info: toInfo(ref, found), upload: found.upload, content: found.content };
    },
    async loadContent(tenant, ref) {
      const results = await ask([statements.LOAD_CONTENT(storedId(tenant), storedId(ref))]);
      return rowsOf<Pick<PartColumns, "content">>(results)[0]?.content;
    },
    async loadPart(upload, at) {
      return rowsOf<PartColumns>(await ask([statements.LOAD_PART(upload, at)]))[0];
    },
    async insert(tenant, info, content, quota) {
      const { ref, media_type } = info;
      const results = await ask([
        ...countUnder(quota, tenant),
        statements.INSERT(now(), tenant, ref, optionalText(media_type), bufferOf(content), quota ?? null),
        statements.DESCRIBE(tenant, ref),
      ]);
      const [stored] = rowsOf<InfoColumns>(results, results.length - 1);
      if (stored !== undefined) return toInfo(ref, stored);
      assertRoom(results, info, quota);
      // Another process deleted it at once.
      return info;
    },
    async begin(name: string = randomUUID()) {
      const [time] = rowsOf<{ readonly now: number }>(await ask([statements.READ_TIME(now())]));
      const upload = { upload: name, until: (time?.now ?? 0) + UPLOAD_MS };
      await ask([statements.LIST(upload.until, upload.upload)]);
      return upload;
    },
    async addPart({ upload, until }, start, content) {
      const results = await ask([
        statements.LOCK(until, upload),
        statements.ADD_PART(until, upload, start, bufferOf(content)),
      ]);
      return rowsOf(results).length > 0;
    },
    async finish({ upload, until }, tenant, info, quota) {
      const { ref, media_type, bytes } = info;
      const counting = countUnder(quota, tenant);
      const type = optionalText(media_type);
      const results = await ask([
        ...counting,
        statements.LOCK(until, upload),
        statements.INSERT_UPLOAD(until, upload, tenant, ref, type, bytes, now(), quota ?? null),
        statements.UNLIST(until, upload, tenant, ref),
        statements.GIVE_UP(until, upload),
        statements.DESCRIBE(tenant, ref),
      ]);
      const [stored] = rowsOf<InfoColumns>(results, results.length - 1);
      if (stored !== undefined) return toInfo(ref, stored);
      if (rowsOf(results, counting.length).length === 0) return undefined;
      assertRoom(results, info, quota);
      // Another process deleted it at once.
      return info;
    },
    async giveUp({ upload, until }) {
      await ask([statements.GIVE_UP(until, upload)]);
    },
    async delete(tenant, ref) {
      await ask([statements.DELETE(storedId(tenant), storedId(ref))]);
    },
    async pageLoose(after, limit) {
      const results = await ask([statements.PAGE(now(), COLLECT_AFTER_MS, after.tenant, after.ref, limit)]);
      return loosePage(rowsOf<BlobKey & { readonly is_loose: boolean }>(results), limit);
    },
    async collect({ tenant, ref }) {
      const results = await ask([statements.LOCK_REFS(), statements.COLLECT(now(), COLLECT_AFTER_MS, tenant, ref)]);
      return rowsOf(results, 1).length > 0;
    },
    async usage(tenant) {
      const results = await ask([statements.USAGE(storedId(tenant))]);
      return rowsOf<{ readonly bytes: number }>(results)[0]?.bytes ?? 0;
    },
    async sweep() {
      // In a transaction of its own: what was added until then is seen by what follows.
      await ask([statements.GIVE_UP_LATE(now())]);
      const results = await ask([statements.UNLIST_REMOVED(), statements.REMOVE_PARTS(PARTS_AT_ONCE)]);
      return rowsOf(results, 1).length > 0;
    },
    async listDoomedObjects(limit) {
      const results = await ask([statements.LIST_DOOMED_OBJECTS(limit)]);
      return rowsOf<{ readonly upload: string }>(results).map(({ upload }) => upload);
    },
    async unlistObject(upload) {
      await ask([statements.UNLIST_OBJECT(upload)]);
    },
  };
}

function toInfo(ref: string, { media_type, bytes }: InfoColumns): BlobInfo {
  return { ref, bytes, ...optionalProperty("media_type", media_type) };
}

/** Under a quota, puts of one tenant follow each other, and each counts first what is there. */
function countUnder(quota: number | undefined, tenant: string): readonly Query[] {
  return quota === undefined ? [] : [statements.LOCK_QUOTA(tenant), statements.USAGE(tenant)];
}

/** Of a blob that is not there after its put: whether the quota had no room for it. */
function assertRoom(results: Results, { bytes }: BlobInfo, quota: number | undefined): void {
  if (quota === undefined) return;
  assertQuota(rowsOf<{ readonly bytes: number }>(results, 1)[0]?.bytes ?? 0, bytes, quota);
}

/** The same bytes in the form that `pg` knows; not a copy. */
function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
