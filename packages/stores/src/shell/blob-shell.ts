import { createHash, randomUUID } from "node:crypto";
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
import { hashText } from "../kernel/hash-text.ts";
import type { BlobObjects, ObjectUpload } from "./blob-objects.ts";
import {
  type BlobKey,
  type BlobRow,
  type BlobRows,
  type LoosePage,
  objectKeyOf,
  objectUpload,
  type Upload,
} from "./blob-rows.ts";
import { sweepBlobs } from "./blob-sweep.ts";

/** The tables of a database, and where the bytes of larger blobs are when they are not there. */
interface BlobPlaces {
  readonly rows: BlobRows;
  readonly objects: BlobObjects | undefined;
}

/** A blob that comes in parts. Ends with `finish` or `giveUp`. */
class BlobUpload {
  readonly #places: BlobPlaces;
  readonly #upload: Upload;
  /** Takes the bytes, when they do not go to the database. */
  readonly #object: ObjectUpload | undefined;
  #bytes = 0;

  private constructor(places: BlobPlaces, upload: Upload, object: ObjectUpload | undefined) {
    this.#places = places;
    this.#upload = upload;
    this.#object = object;
  }

  /** Who brings much also tidies up: a process may be up for longer than what others left may lie about. */
  static async begin(places: BlobPlaces, tenant: string): Promise<BlobUpload> {
    const { rows, objects } = places;
    await sweepBlobs(rows, objects);
    if (objects === undefined) return new BlobUpload(places, await rows.begin(), undefined);
    const key = `${folderOf(tenant)}/${randomUUID()}`;
    // It is on the list before there is anything of it, so that nothing is left when this process dies.
    const upload = await rows.begin(objectUpload(key));
    return new BlobUpload(places, upload, objects.upload(key));
  }

  async add(content: Uint8Array): Promise<void> {
    if (this.#object !== undefined) await this.#object.add(content);
    else if (!(await this.#places.rows.addPart(this.#upload, this.#bytes, content))) throw tookTooLong();
    this.#bytes += content.byteLength;
  }

  /** With the last part. */
  async finish(content: Uint8Array, tenant: string, info: BlobInfo, quota: number | undefined): Promise<BlobInfo> {
    const { rows, objects } = this.#places;
    await this.add(content);
    await this.#object?.finish();
    const stored = await rows.finish(this.#upload, tenant, info, quota);
    if (stored === undefined) {
      // Another process took the upload for left behind, and does not know of what came since.
      await objects?.remove(objectKeyOf(this.#upload.upload) ?? "").catch(() => undefined);
      throw tookTooLong();
    }
    // When the blob was there before, the parts of this one are not needed.
    await sweepBlobs(rows, objects);
    return stored;
  }

  async giveUp(): Promise<void> {
    const { rows, objects } = this.#places;
    await this.#object?.giveUp();
    // What cannot be marked now is removed when its time is up.
    await rows.giveUp(this.#upload).catch(() => undefined);
    await sweepBlobs(rows, objects);
  }
}

/** Tenants as folders of an object store, where any id must be a name. */
function folderOf(tenant: string): string {
  return /^[A-Za-z0-9_-]{1,64}$/.test(tenant) ? tenant : `~${hashText(tenant)}`;
}

function tookTooLong(): RepriseError {
  return new RepriseError("STORE_UNAVAILABLE", "Cannot put a blob: its pieces took longer than a day to come.");
}

/** The blobs of the contracts on top of a database, and of an object store when there is one. */
export function createBlobStore(rows: BlobRows, objects: BlobObjects | undefined): BlobStore {
  const places: BlobPlaces = { rows, objects };
  const find = async (tenant: string, ref: string): Promise<BlobRow> => {
    const row = await rows.find(tenant, ref);
    if (row === undefined) throw notFound("BLOB_NOT_FOUND", "blob", ref);
    return row;
  };
  const read: BlobStore["read"] = async (tenant, ref, range) => {
    const row = await find(tenant, ref);
    return { info: row.info, content: readPieces(places, tenant, row, cutRange(range, row.info.bytes)) };
  };
  return {
    async put(tenant, content, options = {}) {
      assertId("tenant", tenant);
      return putPieces(places, tenant, content, options);
    },
    read,
    get: async (tenant, ref) => loadWhole(await read(tenant, ref)),
    async delete(tenant, ref) {
      await rows.delete(tenant, ref);
      await sweepBlobs(rows, objects);
    },
    collect: () => collectBlobs(places),
    usage: (tenant) => rows.usage(tenant),
    ...(objects !== undefined && {
      link: async (tenant, ref, options) => {
        const key = objectKeyOf((await find(tenant, ref)).upload ?? "");
        return key === undefined ? undefined : objects.link(key, options);
      },
    }),
  };
}

/** How many blobs are looked at in one read. */
const PAGE = 500;

async function collectBlobs({ rows, objects }: BlobPlaces): Promise<number> {
  await sweepBlobs(rows, objects);
  let count = 0;
  for (let after: BlobKey | undefined = { tenant: "", ref: "" }; after !== undefined; ) {
    const page: LoosePage = await rows.pageLoose(after, PAGE);
    const collected = await Promise.all(page.loose.map((key) => rows.collect(key)));
    count += collected.filter((isGone) => isGone).length;
    after = page.next;
  }
  if (count > 0) await sweepBlobs(rows, objects);
  return count;
}

/** One piece is held back, so that what ends with it is a row and no upload. */
async function putPieces(
  places: BlobPlaces,
  tenant: string,
  content: BlobContent,
  { media_type, max_bytes = Number.POSITIVE_INFINITY, quota_bytes }: PutBlobOptions,
): Promise<BlobInfo> {
  const inlineBytes = places.objects?.inlineBytes ?? Number.POSITIVE_INFINITY;
  const hash = createHash("sha256");
  let bytes = 0;
  let held: Uint8Array | undefined;
  let upload: BlobUpload | undefined;
  try {
    for await (const piece of toBlobPieces(content, { max_bytes })) {
      hash.update(piece);
      bytes += piece.byteLength;
      if (held !== undefined) {
        upload ??= await BlobUpload.begin(places, tenant);
        await upload.add(held);
      }
      held = piece;
    }
    const type = media_type === undefined ? {} : { media_type };
    const info = { ref: `blob:${hash.digest("hex")}`, bytes, ...type };
    const last = held ?? new Uint8Array();
    if (upload === undefined && bytes > inlineBytes) upload = await BlobUpload.begin(places, tenant);
    return upload === undefined
      ? await places.rows.insert(tenant, info, last, quota_bytes)
      : await upload.finish(last, tenant, info, quota_bytes);
  } catch (error) {
    await upload?.giveUp();
    throw error;
  }
}

/** Between two pieces nothing is held but the number of the next byte, and the answer of an object store. */
async function* readPieces(
  places: BlobPlaces,
  tenant: string,
  { info, upload, content }: BlobRow,
  { start, end }: BlobRange,
): AsyncGenerator<Uint8Array, void> {
  const { ref } = info;
  if (upload === null) {
    const whole = content ?? (await places.rows.loadContent(tenant, ref));
    if (whole === undefined) throw notFound("BLOB_NOT_FOUND", "blob", ref);
    yield* cutPieces(whole.subarray(start, end));
    return;
  }
  const key = objectKeyOf(upload);
  if (key !== undefined) {
    yield* readObject(places.objects, { key, info, start, end });
    return;
  }
  for (let at = start; at < end; ) {
    const part = await places.rows.loadPart(upload, at);
    const rest = part?.content.subarray(at - part.start, end - part.start);
    // Its blob was deleted since: parts never go before.
    if (rest === undefined || rest.byteLength === 0) throw notFound("BLOB_NOT_FOUND", "blob", ref);
    at += rest.byteLength;
    yield rest;
  }
}

/** The pieces of an object. When all of it is read, the last piece is given out only if the hash fits. */
async function* readObject(
  objects: BlobObjects | undefined,
  { key, info, start, end }: BlobRange & { readonly key: string; readonly info: BlobInfo },
): AsyncGenerator<Uint8Array, void> {
  const { ref, bytes } = info;
  if (objects === undefined) {
    const message = `Cannot read ${ref}: its bytes are in an object store, and this process has none configured.`;
    throw new RepriseError("STORE_UNAVAILABLE", message, { details: { reason: "no_objects" } });
  }
  const hash = start === 0 && end === bytes ? createHash("sha256") : undefined;
  let last: Uint8Array | undefined;
  try {
    for await (const piece of objects.read(key, { start, end })) {
      hash?.update(piece);
      if (last !== undefined) yield last;
      last = piece;
    }
  } catch (error) {
    throw RepriseError.is(error, "BLOB_NOT_FOUND") ? notFound("BLOB_NOT_FOUND", "blob", ref) : error;
  }
  if (hash !== undefined && `blob:${hash.digest("hex")}` !== ref)
    throw new RepriseError("CORRUPT_DATA", `The bytes of ${ref} in the object store are not those that were put.`);
  if (last !== undefined) yield last;
}
