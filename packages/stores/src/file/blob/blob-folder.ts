import { dirname, join } from "node:path";
import { type BlobInfo, notFound } from "@reprise/contracts";
import { assertQuota } from "../../shell/blob-collection.ts";
import { hasCode, OPEN_TO, type OpenFile } from "../disk/disk.ts";
import { tenantFolder } from "../disk/file-names.ts";
import { FolderSync } from "../disk/folder-sync.ts";
import type { LogFolder } from "../log/log-folder.ts";
import { BlobDraft } from "./blob-draft.ts";
import { type BlobHead, readHead } from "./blob-file.ts";

/** A blob with an open reader: its file is open until it is closed. */
export interface OpenBlob {
  readonly file: OpenFile;
  readonly head: BlobHead;
}

/** What is said beside a blob that is to be kept. */
export interface Keeping {
  /** The store's time. */
  readonly now: number;
  /** How many bytes the tenant may have. */
  readonly quota: number | undefined;
}

/** Which blobs threads refer to, by the folder of their tenant. */
export interface BlobReferences {
  isReferred(folder: string, ref: string): boolean;
}

/** The blobs of a store: a folder a tenant, a file a blob. A file is there whole or not at all, and never changes. */
export class BlobFolder {
  readonly #logs: LogFolder;
  readonly #path: string;
  readonly #names: FolderSync;
  readonly #tenantNames = new Map<string, FolderSync>();
  /** When blobs were put, by file, as far as this process did: by the store's time. */
  readonly #putAt = new Map<string, number>();
  /** Writes in progress, by file, or by tenant under a quota. The second writer waits and finds the result of the first. */
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
  async keep(tenant: string, draft: BlobDraft, keeping: Keeping): Promise<BlobInfo> {
    const ref = await draft.seal();
    if (keeping.quota === undefined) return this.#keep(tenant, ref, draft, keeping);
    // One after the other, so that each counts the bytes of those before it.
    return this.#inTurn(tenantFolder(tenant), () => this.#keep(tenant, ref, draft, keeping));
  }

  #keep(tenant: string, ref: string, draft: BlobDraft, { now, quota }: Keeping): Promise<BlobInfo> {
    const path = this.#pathOf(tenant, ref);
    return this.#inTurn(path, async () => {
      const known = await this.#find(path, ref);
      if (known === undefined) {
        if (quota !== undefined) assertQuota(await this.usage(tenant), draft.bytes, quota);
        await this.#place(tenant, draft.path, path);
      } else {
        await draft.drop();
        await this.#logs.disk.touch(path);
      }
      this.#putAt.set(path, now);
      // Also for a blob that exists: its writer may have died before its name was durable.
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

  /** Opens a blob for a reader, and closes it afterwards. */
  async open(tenant: string, ref: string): Promise<OpenBlob> {
    const opened = await this.#open(this.#pathOf(tenant, ref), ref);
    if (opened === undefined) throw notFound("BLOB_NOT_FOUND", "blob", ref);
    return opened;
  }

  delete(tenant: string, ref: string): Promise<void> {
    const path = this.#pathOf(tenant, ref);
    return this.#inTurn(path, () => this.#remove(path));
  }

  /** Deletes the blobs that were put before a time and that nothing refers to. */
  async collect(before: number, { isReferred }: BlobReferences): Promise<number> {
    let count = 0;
    for (const { folder, ref } of await this.#list()) {
      const path = join(this.#path, folder, hashIn(ref));
      await this.#inTurn(path, async () => {
        if (isReferred(folder, ref) || (await this.#ageOf(path)) > before) return;
        // Once more: a thread may have begun to refer to it meanwhile.
        if (isReferred(folder, ref)) return;
        await this.#remove(path);
        count += 1;
      });
    }
    return count;
  }

  /** How many bytes the blobs of a tenant have. */
  async usage(tenant: string): Promise<number> {
    const folder = tenantFolder(tenant);
    let bytes = 0;
    for (const { ref } of await this.#list(folder)) {
      bytes += (await this.#find(join(this.#path, folder, hashIn(ref)), ref))?.bytes ?? 0;
    }
    return bytes;
  }

  /** All blobs, or those in one tenant's folder. */
  async #list(only?: string): Promise<readonly { readonly folder: string; readonly ref: string }[]> {
    const { disk } = this.#logs;
    const folders = (await disk.list(this.#path)).map(({ name }) => name);
    const found = folders
      .filter((name) => only === undefined || name === only)
      .map(async (folder) => {
        const items = await disk.list(join(this.#path, folder));
        return items.filter(({ isFile }) => isFile).map(({ name }) => ({ folder, ref: `blob:${name}` }));
      });
    return (await Promise.all(found)).flat();
  }

  async #ageOf(path: string): Promise<number> {
    return this.#putAt.get(path) ?? (await this.#logs.disk.modifiedAt(path));
  }

  async #remove(path: string): Promise<void> {
    this.#putAt.delete(path);
    try {
      await this.#logs.disk.unlink(path);
    } catch (error) {
      if (hasCode(error, "ENOENT")) return;
      throw error;
    }
    await this.#namesIn(dirname(path)).sync();
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

  async #inTurn<Result>(name: string, task: () => Promise<Result>): Promise<Result> {
    const before = this.#turns.get(name) ?? Promise.resolve();
    // The caller of the previous write gets its error.
    const turn = before.then(task, task);
    this.#turns.set(name, turn);
    try {
      return await turn;
    } finally {
      if (this.#turns.get(name) === turn) this.#turns.delete(name);
    }
  }

  #namesOf(tenant: string): FolderSync {
    return this.#namesIn(join(this.#path, tenantFolder(tenant)));
  }

  #namesIn(path: string): FolderSync {
    const known = this.#tenantNames.get(path) ?? new FolderSync(this.#logs.disk, path);
    this.#tenantNames.set(path, known);
    return known;
  }

  #pathOf(tenant: string, ref: string): string {
    return join(this.#path, tenantFolder(tenant), hashIn(ref));
  }
}

function hashIn(ref: string): string {
  return ref.slice("blob:".length);
}
