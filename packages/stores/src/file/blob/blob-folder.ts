import { join } from "node:path";
import { type BlobInfo, notFound } from "@reprise/contracts";
import { hasCode, OPEN_TO, type OpenFile } from "../disk/disk.ts";
import { tenantFolder } from "../disk/file-names.ts";
import { FolderSync } from "../disk/folder-sync.ts";
import type { LogFolder } from "../log/log-folder.ts";
import { readBlob, readInfo, writeBlob } from "./blob-file.ts";

/** The blobs of a store: a folder a tenant, a file a blob. A file is there whole or not at all, and never changes. */
export class BlobFolder {
  readonly #logs: LogFolder;
  readonly #path: string;
  readonly #names: FolderSync;
  readonly #tenantNames = new Map<string, FolderSync>();
  /** What is under way, by file: whoever comes second finds what the first one did. */
  readonly #turns = new Map<string, Promise<unknown>>();

  constructor(logs: LogFolder, path: string) {
    this.#logs = logs;
    this.#path = path;
    this.#names = new FolderSync(logs.disk, path);
  }

  put(tenant: string, ref: string, content: Uint8Array, mediaType: string | undefined): Promise<BlobInfo> {
    const path = this.#pathOf(tenant, ref);
    return this.#inTurn(path, async () => {
      const known = await this.#open(path, async (file) => (await readInfo(file, ref)).info);
      if (known === undefined) await this.#write(tenant, path, (file) => writeBlob(file, content, mediaType));
      // Also for one that is there: whoever put it may have died before its name was durable.
      await this.#namesOf(tenant).sync();
      return known ?? { ref, bytes: content.byteLength, ...(mediaType === undefined ? {} : { media_type: mediaType }) };
    });
  }

  async get(tenant: string, ref: string): Promise<{ readonly info: BlobInfo; readonly content: Uint8Array }> {
    const found = await this.#open(this.#pathOf(tenant, ref), (file) => readBlob(file, ref));
    if (found === undefined) throw notFound("BLOB_NOT_FOUND", "blob", ref);
    return found;
  }

  delete(tenant: string, ref: string): Promise<void> {
    const path = this.#pathOf(tenant, ref);
    return this.#inTurn(path, async () => {
      try {
        await this.#logs.disk.unlink(path);
      } catch (error) {
        if (hasCode(error, "ENOENT")) return;
        throw error;
      }
      await this.#namesOf(tenant).sync();
    });
  }

  async #write(tenant: string, path: string, write: (file: OpenFile) => Promise<void>): Promise<void> {
    await this.#logs.disk.makeFolder(join(this.#path, tenantFolder(tenant)));
    await this.#names.sync();
    await this.#logs.replace(path, write, () => undefined);
  }

  /** Undefined when there is no such file. */
  async #open<Result>(path: string, read: (file: OpenFile) => Promise<Result>): Promise<Result | undefined> {
    return this.#logs.reading.run(async () => {
      let file: OpenFile;
      try {
        file = await this.#logs.disk.open(path, OPEN_TO.read);
      } catch (error) {
        if (hasCode(error, "ENOENT")) return undefined;
        throw error;
      }
      try {
        return await read(file);
      } finally {
        await file.close();
      }
    });
  }

  async #inTurn<Result>(path: string, task: () => Promise<Result>): Promise<Result> {
    const before = this.#turns.get(path) ?? Promise.resolve();
    // How the one before ended is told to whoever asked for it.
    const turn = before.then(task, task);
    this.#turns.set(path, turn);
    try {
      return await turn;
    } finally {
      if (this.#turns.get(path) === turn) this.#turns.delete(path);
    }
  }

  #namesOf(tenant: string): FolderSync {
    const path = join(this.#path, tenantFolder(tenant));
    const known = this.#tenantNames.get(path) ?? new FolderSync(this.#logs.disk, path);
    this.#tenantNames.set(path, known);
    return known;
  }

  #pathOf(tenant: string, ref: string): string {
    return join(this.#path, tenantFolder(tenant), ref.slice("blob:".length));
  }
}
