import { createHash, randomUUID } from "node:crypto";
import { join } from "node:path";
import { OPEN_TO, type OpenFile, writeAll } from "../disk/disk.ts";
import type { LogFolder } from "../log/log-folder.ts";
import { encodeHeader } from "./blob-file.ts";

/** Where a draft is, what it is said to be, and how long the line is that says so. */
interface DraftHead {
  readonly path: string;
  readonly mediaType: string | undefined;
  readonly length: number;
}

/** A blob that is being written, in a file that no reader opens. The next process that opens the store removes leftovers. */
export class BlobDraft {
  readonly path: string;
  readonly mediaType: string | undefined;
  readonly #logs: LogFolder;
  readonly #file: OpenFile;
  readonly #hash = createHash("sha256");
  #length: number;
  #bytes = 0;

  private constructor(logs: LogFolder, file: OpenFile, head: DraftHead) {
    this.#logs = logs;
    this.#file = file;
    this.path = head.path;
    this.mediaType = head.mediaType;
    this.#length = head.length;
  }

  static async open(logs: LogFolder, mediaType: string | undefined): Promise<BlobDraft> {
    const header = encodeHeader(mediaType);
    const path = join(logs.temporaryPath, randomUUID());
    const file = await logs.disk.open(path, OPEN_TO.make);
    const draft = new BlobDraft(logs, file, { path, mediaType, length: header.byteLength });
    try {
      await writeAll(file, header, 0);
      return draft;
    } catch (error) {
      await draft.drop();
      throw error;
    }
  }

  get bytes(): number {
    return this.#bytes;
  }

  async add(piece: Uint8Array): Promise<void> {
    this.#hash.update(piece);
    await writeAll(this.#file, piece, this.#length);
    this.#length += piece.byteLength;
    this.#bytes += piece.byteLength;
  }

  /** Makes it durable, and says which blob it is. */
  async seal(): Promise<string> {
    await this.#file.datasync();
    await this.#file.close();
    return `blob:${this.#hash.digest("hex")}`;
  }

  /** Takes it away. Nothing depends on it. */
  async drop(): Promise<void> {
    await this.#file.close().catch(() => undefined);
    await this.#logs.disk.unlink(this.path).catch(() => undefined);
  }
}
