import { join } from "node:path";
import { damaged } from "../../codec/stored-text.ts";
import type { DocumentAnswer, DocumentKey, DocumentRow, SealedDocument } from "../../shell/document-rows.ts";
import { type DocumentHead, DocumentIndex } from "../../tables/document-index.ts";
import { hasCode, OPEN_TO, readBytes, writeAll } from "../disk/disk.ts";
import { inDoubt } from "../disk/disk-errors.ts";
import { documentName } from "../disk/file-names.ts";
import { FolderSync } from "../disk/folder-sync.ts";
import type { LogFolder } from "../log/log-folder.ts";
import { decodeDocument, encodeDocument } from "./document-file.ts";

import { RevisionMark } from "./revision-mark.ts";

/** The documents of a store: one file each, written atomically. The second writer of a document waits for the first. */
export class DocumentFolder {
  readonly path: string;
  readonly index: DocumentIndex<DocumentHead> = new DocumentIndex();
  readonly revisions: RevisionMark;
  /** The names of files that do not say whose they are. */
  readonly unreadable: Set<string> = new Set();
  readonly #logs: LogFolder;
  readonly #names: FolderSync;
  readonly #turns = new Map<string, Promise<unknown>>();

  constructor(logs: LogFolder, path: string) {
    this.#logs = logs;
    this.path = path;
    this.#names = new FolderSync(logs.disk, path);
    this.revisions = new RevisionMark(logs, path, this.#names);
  }

  load(key: DocumentKey, now: number): Promise<DocumentRow | undefined> {
    return this.#inTurn(key, (name) => this.#read(key, name, now));
  }

  save(document: SealedDocument, expected: number, now: number): Promise<DocumentAnswer> {
    return this.#inTurn(document, async (name) => {
      const found = this.#find(document, name, now);
      if ((found?.revision ?? 0) !== expected) return { saved: false, row: await this.#read(document, name, now) };
      const row = { ...document, revision: await this.revisions.next(), updated_at: now };
      const { text: _, ...head } = row;
      await this.#logs.replace(
        join(this.path, name),
        (file) => writeAll(file, encodeDocument(row), 0),
        () => this.index.put(head),
      );
      await this.#syncNames();
      return { saved: true, row };
    });
  }

  delete(key: DocumentKey, expected: number | null, now: number): Promise<boolean> {
    return this.#inTurn(key, async (name) => {
      // An unreadable document can still be deleted by a caller that does not need its content.
      if (expected !== null || !this.unreadable.has(name)) {
        const found = this.#find(key, name, now);
        if (found === undefined || found.revision !== (expected ?? found.revision)) return false;
      }
      await this.#take(key, name);
      return true;
    });
  }

  async list(key: DocumentKey, limit: number, now: number): Promise<readonly DocumentRow[]> {
    const rows: DocumentRow[] = [];
    for (let after = key; ; ) {
      const heads = this.index.after(after, limit - rows.length, now);
      const last = heads.at(-1);
      if (last === undefined) return rows;
      // One of them may be deleted before its turn comes; then others are looked for.
      const read = await Promise.all(heads.map((head) => this.load(head, now)));
      rows.push(...read.filter((row) => row !== undefined));
      if (rows.length === limit) return rows;
      after = last;
    }
  }

  async prune(limit: number, now: number): Promise<number> {
    const taken = this.index.expired(limit, now).map((key) =>
      this.#inTurn(key, async (name) => {
        // Another process may have saved it anew meanwhile.
        const isExpired = this.index.find(key, now) === undefined;
        if (isExpired) await this.#take(key, name);
        return isExpired;
      }),
    );
    return (await Promise.all(taken)).filter(Boolean).length;
  }

  #find(key: DocumentKey, name: string, now: number) {
    if (this.unreadable.has(name)) throw damaged("document");
    return this.index.find(key, now);
  }

  async #read(key: DocumentKey, name: string, now: number): Promise<DocumentRow | undefined> {
    if (this.#find(key, name, now) === undefined) return undefined;
    const decoded = decodeDocument(await this.readFile(name));
    if (decoded === undefined) throw damaged("document");
    return { ...decoded.head, text: decoded.readText() };
  }

  readFile(name: string): Promise<Buffer> {
    return this.#logs.reading.run(async () => {
      const file = await this.#logs.disk.open(join(this.path, name), OPEN_TO.read);
      try {
        return await readBytes(file, 0, (await file.stat()).size);
      } finally {
        await file.close();
      }
    });
  }

  async #take(key: DocumentKey, name: string): Promise<void> {
    try {
      await this.#logs.disk.unlink(join(this.path, name));
    } catch (error) {
      if (!hasCode(error, "ENOENT")) throw error;
    }
    this.unreadable.delete(name);
    this.index.remove(key);
    await this.#syncNames();
  }

  /** The file is already what it is to be; only whether it stays so after a power cut is not known. */
  async #syncNames(): Promise<void> {
    try {
      await this.#names.sync();
    } catch (error) {
      throw inDoubt(error);
    }
  }

  async #inTurn<Result>(key: DocumentKey, task: (name: string) => Promise<Result>): Promise<Result> {
    const name = documentName(key);
    const start = () => task(name);
    // The caller of the previous write gets its error.
    const turn = (this.#turns.get(name) ?? Promise.resolve()).then(start, start);
    this.#turns.set(name, turn);
    try {
      return await turn;
    } finally {
      if (this.#turns.get(name) === turn) this.#turns.delete(name);
    }
  }
}
