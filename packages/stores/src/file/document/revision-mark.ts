import { join } from "node:path";
import { RepriseError } from "@reprise/contracts";
import { writeAll } from "../disk/disk.ts";
import type { FolderSync } from "../disk/folder-sync.ts";
import type { LogFolder } from "../log/log-folder.ts";
import { decodeLine, encodeLine } from "../log/log-line.ts";

export const MARK_FILE = "revisions.json";

/** How many revisions are taken at a time: so many are left out at worst when a process ends. */
const AT_ONCE = 1_000;

/**
 * Gives out revisions, none of them twice, also after the document that had it is gone and the process too. The file says up to
 * which they may have been given out; it is durable before any of them is.
 */
export class RevisionMark {
  readonly #logs: LogFolder;
  readonly #folder: string;
  readonly #names: FolderSync;
  #last = 0;
  #reserved = 0;
  #reserving: Promise<void> | undefined;
  #isDamaged = false;

  constructor(logs: LogFolder, folder: string, names: FolderSync) {
    this.#logs = logs;
    this.#folder = folder;
    this.#names = names;
  }

  /** For what the file says when the folder is opened. */
  take(bytes: Buffer): void {
    const line = decodeLine(bytes);
    // Without it, used revisions are unknown: documents can be read, but not saved.
    if (line === undefined) this.#isDamaged = true;
    // Written below, and the checksum fits.
    else this.pass(Number(line.rows));
  }

  /** No revision up to this one is given out any more. */
  pass(revision: number): void {
    this.#last = Math.max(this.#last, revision);
    this.#reserved = this.#last;
  }

  async next(): Promise<number> {
    if (this.#isDamaged) throw new RepriseError("CORRUPT_DATA", `The file ${MARK_FILE} of the documents is damaged.`);
    while (this.#last === this.#reserved) {
      this.#reserving ??= this.#reserve().finally(() => {
        this.#reserving = undefined;
      });
      await this.#reserving;
    }
    this.#last += 1;
    return this.#last;
  }

  async #reserve(): Promise<void> {
    const reserved = this.#reserved + AT_ONCE;
    const line = encodeLine(String(reserved), undefined, 0);
    await this.#logs.replace(
      join(this.#folder, MARK_FILE),
      (file) => writeAll(file, line, 0),
      () => undefined,
    );
    await this.#names.sync();
    this.#reserved = reserved;
  }
}
