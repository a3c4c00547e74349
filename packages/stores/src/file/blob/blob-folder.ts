import { join } from "node:path";
import { type BlobInfo, notFound } from "@reprise/contracts";
import { hasCode, OPEN_TO, type OpenFile } from "../disk/disk.ts";
import { tenantFolder } from "../disk/file-names.ts";
import { FolderSync } from "../disk/folder-sync.ts";
import type { LogFolder } from "../log/log-folder.ts";
import { BlobDraft } from "./blob-draft.ts";
import { type BlobHead, readHead } from "./blob-file.ts";

/** A blob that somebody reads: its file is open until it is closed. */
export interface OpenBlob {
  readonly file: OpenFile;
  readonly head: BlobHead;
}

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

  draft(mediaType: string | undefined): Promise<BlobDraft> {
    return BlobDraft.open(this.#logs, mediaType);
  }

  /** Makes a draft the blob that it is, or drops it when that is there. */
  async keep(tenant: string, draft: BlobDraft): Promise<BlobInfo> {
    const ref = await draft.seal();
    const path = this.#pathOf(tenant, ref);
    return this.#inTurn(path, async () => {
      const known = await this.#find(path, ref);
      if (known === undefined) await this.#place(tenant, draft.path, path);
      else await draft.drop();
      // Also for one that is there: whoever put it may have died before its name was durable.
      await this.#namesOf(tenant).sync();
      const { bytes, mediaType } = draft;
      return known ?? { ref, bytes, ...(mediaType === undefined ? {} : { media_type: mediaType }) };
    });
  }

  async find(tenant: string, ref: string): Promise<BlobInfo> {
    const found = await this.#find(this.#pathOf(tenant, ref), ref);
    if (found === undefined) throw notFound("BLOB_NOT_FOUND", "blob", ref);
    return found;
  }

  /** Opens a blob for whoever reads it, and closes it. */
  async open(tenant: string, ref: string): Promise<OpenBlob> {
    const opened = await this.#open(this.#pathOf(tenant, ref), ref);
    if (opened === undefined) throw notFound("BLOB_NOT_FOUND", "blob", ref);
    return opened;
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

  async #place(tenant: string, from: string, to: string): Promise<void> {
    await this.#logs.disk.makeFolder(join(this.#path, tenantFolder(tenant)));
    await this.#names.sync();
    await this.#logs.disk.rename(from, to);
  }

  async #find(path: string, ref: string): Promise<BlobInfo | undefined> {
    const opened = await this.#open(path, ref);
    await opened?.file.close();
    return opened?.head.info;
  }

  /** Undefined when there is no such file. */
  #open(path: string, ref: string): Promise<OpenBlob | undefined> {
    return this.#logs.reading.run(async () => {
      let file: OpenFile;
      try {
        file = await this.#logs.disk.open(path, OPEN_TO.read);
      } catch (error) {
        if (hasCode(error, "ENOENT")) return undefined;
        throw error;
      }
      try {
        return { file, head: await readHead(file, ref) };
      } catch (error) {
        await file.close();
        throw error;
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
