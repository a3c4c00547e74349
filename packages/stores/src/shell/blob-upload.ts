import { type BlobInfo, RepriseError } from "@reprise/contracts";
import type { BlobRows, Upload } from "./blob-rows.ts";
import { sweepBlobs } from "./blob-sweep.ts";

/** A blob that comes in parts. Ends with `finish` or `giveUp`. */
export class BlobUpload {
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
  async finish(content: Uint8Array, tenant: string, info: BlobInfo): Promise<BlobInfo> {
    await this.add(content);
    const stored = await this.#rows.finish(this.#upload, tenant, info);
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
