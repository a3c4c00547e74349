import { createHash } from "node:crypto";
import {
  assertId,
  type BlobContent,
  type BlobInfo,
  type BlobRange,
  type BlobStore,
  cutPieces,
  cutRange,
  loadWhole,
  notFound,
  type PutBlobOptions,
  RepriseError,
  toBlobPieces,
} from "@reprise/contracts";
import type { BlobKey, BlobRow, BlobRows, LoosePage, Upload } from "./blob-rows.ts";
import { sweepBlobs } from "./blob-sweep.ts";

/** A blob that comes in parts. Ends with `finish` or `giveUp`. */
class BlobUpload {
  readonly #rows: BlobRows;
  readonly #upload: Upload;
  #bytes = 0;

  private constructor(rows: BlobRows, upload: Upload) {
    this.#rows = rows;
    this.#upload = upload;
  }

  /** Who brings much also tidies up: a process may be up for longer than what others left may lie about. */
  static async begin(rows: BlobRows): Promise<BlobUpload> {
    await sweepBlobs(rows);
    return new BlobUpload(rows, await rows.begin());
  }

  async add(content: Uint8Array): Promise<void> {
    if (!(await this.#rows.addPart(this.#upload, this.#bytes, content))) throw tookTooLong();
    this.#bytes += content.byteLength;
  }

  /** With the last part. */
  async finish(content: Uint8Array, tenant: string, info: BlobInfo, quota: number | undefined): Promise<BlobInfo> {
    await this.add(content);
    const stored = await this.#rows.finish(this.#upload, tenant, info, quota);
    if (stored === undefined) throw tookTooLong();
    // When the blob was there before, the parts of this one are not needed.
    await sweepBlobs(this.#rows);
    return stored;
  }

  async giveUp(): Promise<void> {
    // What cannot be marked now is removed when its time is up.
    await this.#rows.giveUp(this.#upload).catch(() => undefined);
    await sweepBlobs(this.#rows);
  }
}

function tookTooLong(): RepriseError {
  return new RepriseError("STORE_UNAVAILABLE", "Cannot put a blob: its pieces took longer than a day to come.");
}

/** The blobs of the contracts on top of a database. */
export function createBlobStore(rows: BlobRows): BlobStore {
  const read: BlobStore["read"] = async (tenant, ref, range) => {
    const row = await rows.find(tenant, ref);
    if (row === undefined) throw notFound("BLOB_NOT_FOUND", "blob", ref);
    return { info: row.info, content: readPieces(rows, tenant, row, cutRange(range, row.info.bytes)) };
  };
  return {
    async put(tenant, content, options = {}) {
      assertId("tenant", tenant);
      return putPieces(rows, tenant, content, options);
    },
    read,
    get: async (tenant, ref) => loadWhole(await read(tenant, ref)),
    async delete(tenant, ref) {
      await rows.delete(tenant, ref);
      await sweepBlobs(rows);
    },
    collect: () => collectBlobs(rows),
    usage: (tenant) => rows.usage(tenant),
  };
}

/** How many blobs are looked at in one read. */
const PAGE = 500;

async function collectBlobs(rows: BlobRows): Promise<number> {
  await sweepBlobs(rows);
  let count = 0;
  for (let after: BlobKey | undefined = { tenant: "", ref: "" }; after !== undefined; ) {
    const page: LoosePage = await rows.pageLoose(after, PAGE);
    const collected = await Promise.all(page.loose.map((key) => rows.collect(key)));
    count += collected.filter((isGone) => isGone).length;
    after = page.next;
  }
  if (count > 0) await sweepBlobs(rows);
  return count;
}

/** One piece is held back, so that what ends with it is a row and no upload. */
async function putPieces(
  rows: BlobRows,
  tenant: string,
  content: BlobContent,
  { media_type, max_bytes = Number.POSITIVE_INFINITY, quota_bytes }: PutBlobOptions,
): Promise<BlobInfo> {
  const hash = createHash("sha256");
  let bytes = 0;
  let held: Uint8Array | undefined;
  let upload: BlobUpload | undefined;
  try {
    for await (const piece of toBlobPieces(content, { max_bytes })) {
      hash.update(piece);
      bytes += piece.byteLength;
      if (held !== undefined) {
        upload ??= await BlobUpload.begin(rows);
        await upload.add(held);
      }
      held = piece;
    }
    const type = media_type === undefined ? {} : { media_type };
    const info = { ref: `blob:${hash.digest("hex")}`, bytes, ...type };
    const last = held ?? new Uint8Array();
    return upload === undefined
      ? await rows.insert(tenant, info, last, quota_bytes)
      : await upload.finish(last, tenant, info, quota_bytes);
  } catch (error) {
    await upload?.giveUp();
    throw error;
  }
}

/** Between two pieces nothing is held but the number of the next byte. */
async function* readPieces(
  rows: BlobRows,
  tenant: string,
  { info: { ref }, upload, content }: BlobRow,
  { start, end }: BlobRange,
): AsyncGenerator<Uint8Array, void> {
  if (upload === null) {
    const whole = content ?? (await rows.loadContent(tenant, ref));
    if (whole === undefined) throw notFound("BLOB_NOT_FOUND", "blob", ref);
    yield* cutPieces(whole.subarray(start, end));
    return;
  }
  for (let at = start; at < end; ) {
    const part = await rows.loadPart(upload, at);
    const rest = part?.content.subarray(at - part.start, end - part.start);
    // Its blob was deleted since: parts never go before.
    if (rest === undefined || rest.byteLength === 0) throw notFound("BLOB_NOT_FOUND", "blob", ref);
    at += rest.byteLength;
    yield rest;
  }
}
