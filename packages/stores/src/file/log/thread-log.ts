import { join } from "node:path";
import { hasCode, OPEN_TO, type OpenFile, readBytes, writeAll } from "../disk/disk.ts";
import { fromDiskError } from "../disk/disk-errors.ts";
import { logName } from "../disk/file-names.ts";
import { ContentLoader } from "./content-loader.ts";
import type { LogHeader } from "./load-log.ts";
import type { LogFolder } from "./log-folder.ts";
import { encodeLine } from "./log-line.ts";
import type { LogRange } from "./log-range.ts";

/** Appends a line to a file that counts only when all of it is durable; so before each line everything is. */
type AppendLine = (makeLine: (durable: number) => Buffer) => Promise<LogRange>;

/**
 * The file of one thread. It is only ever appended to, by one writer at a time, or replaced by another file. What is known of
 * it here is what is durable.
 */
export class ThreadLog {
  readonly #folder: LogFolder;
  readonly #names: Omit<LogHeader, "retired_epoch">;
  readonly #path: string;
  readonly #contents = new ContentLoader(this);
  /** The last epoch of a deleted thread with this id; 0 when there was none. */
  retiredEpoch = 0;
  /** How often the file was replaced: what was known of places in it before is no longer true. */
  replacements = 0;
  /** How much of it only changes what came before: about as much as would be saved by writing it anew. */
  spare = 0;
  #isThere = false;
  #end = 0;
  /** Whether there may be unacknowledged bytes behind the end, or a file that no caller knows of. */
  #hasRest = false;

  constructor(folder: LogFolder, names: Omit<LogHeader, "retired_epoch">) {
    this.#folder = folder;
    this.#names = names;
    this.#path = join(folder.path, logName(names.tenant, names.thread_id));
  }

  get threadId(): string {
    return this.#names.thread_id;
  }

  /** Loads the content of the line that something is in, and opens it. */
  load<Content>(filed: { readonly line: LogRange }, open: (content: string) => Content): Promise<Content | undefined> {
    return this.#contents.load(filed, open);
  }

  /** How much of it is durable. */
  get durable(): number {
    return this.#end;
  }

  /** Where the next line goes. */
  get next(): number {
    return this.#isThere ? this.#end : this.#header().length;
  }

  /** Whether there is nothing of it on the disk that has to be known. */
  get isGone(): boolean {
    return !this.#isThere && !this.#hasRest;
  }

  /** For a file that was found when the store was opened. */
  found(end: number, retiredEpoch: number): void {
    this.#isThere = true;
    this.#end = end;
    this.retiredEpoch = retiredEpoch;
  }

  /** Appends lines. When it returns they are durable; when it throws none of them is there. */
  async append(lines: Buffer): Promise<void> {
    if (!this.#isThere) return this.#make(lines);
    const file = await this.#folder.disk.open(this.#path, OPEN_TO.write);
    try {
      if (this.#hasRest) await this.#cut(file);
      await this.#write(file, lines);
    } finally {
      await closeQuietly(file);
    }
    this.#end += lines.length;
  }

  /** The bytes of a range. Undefined when the file is no longer there. */
  read(ranges: readonly LogRange[]): Promise<readonly Buffer[] | undefined> {
    return this.#folder.reading.run(async () => {
      try {
        const file = await this.#folder.disk.open(this.#path, OPEN_TO.read);
        try {
          const found: Buffer[] = [];
          for (const { offset, length } of ranges) found.push(await readBytes(file, offset, length));
          return found;
        } finally {
          await closeQuietly(file);
        }
      } catch (error) {
        if (hasCode(error, "ENOENT")) return undefined;
        throw fromDiskError(error);
      }
    });
  }

  /** Replaces the file by one that others write, after a header. `replaced` is called as soon as the new file counts. */
  async replace(
    write: (append: AppendLine) => Promise<void>,
    replaced: () => void,
    retiredEpoch: number = this.retiredEpoch,
  ): Promise<void> {
    let end = 0;
    const writeFile = async (file: OpenFile): Promise<void> => {
      const append: AppendLine = async (makeLine) => {
        const line = makeLine(end);
        const range = { offset: end, length: line.length };
        await writeAll(file, line, end);
        end += line.length;
        return range;
      };
      await append(() => this.#header(retiredEpoch));
      await write(append);
    };
    await this.#folder.replace(this.#path, writeFile, () => {
      this.#isThere = true;
      this.#end = end;
      this.retiredEpoch = retiredEpoch;
      this.#hasRest = false;
      this.spare = 0;
      this.replacements += 1;
      replaced();
    });
    await this.#folder.names.sync();
  }

  /** Takes the file away, but for the epoch that has to be known. `gone` is called as soon as it is. */
  async retire(epoch: number, gone: () => void): Promise<void> {
    if (epoch > 0) return this.replace(async () => {}, gone, epoch);
    await this.#folder.disk.unlink(this.#path);
    this.#isThere = false;
    this.#end = 0;
    this.#hasRest = false;
    this.spare = 0;
    this.replacements += 1;
    gone();
    await this.#folder.names.sync();
  }

  async #make(lines: Buffer): Promise<void> {
    const bytes = Buffer.concat([this.#header(), lines]);
    const { disk, names } = this.#folder;
    if (this.#hasRest) await disk.unlink(this.#path);
    this.#hasRest = false;
    const file = await disk.open(this.#path, OPEN_TO.make);
    try {
      try {
        await writeAll(file, bytes, 0);
        await file.datasync();
      } finally {
        await closeQuietly(file);
      }
      await names.sync();
    } catch (error) {
      await disk.unlink(this.#path).catch(() => {
        this.#hasRest = true;
      });
      throw error;
    }
    this.#isThere = true;
    this.#end = bytes.length;
  }

  async #write(file: OpenFile, lines: Buffer): Promise<void> {
    try {
      await writeAll(file, lines, this.#end);
      await file.datasync();
    } catch (error) {
      this.#hasRest = true;
      // If this fails too it is tried again before the next line.
      await this.#cut(file).catch(() => undefined);
      throw error;
    }
  }

  async #cut(file: OpenFile): Promise<void> {
    await file.truncate(this.#end);
    await file.datasync();
    this.#hasRest = false;
  }

  #header(retiredEpoch: number = this.retiredEpoch): Buffer {
    const header: LogHeader = { ...this.#names, retired_epoch: retiredEpoch };
    return encodeLine(JSON.stringify(header), undefined, 0);
  }
}

/** What was written is durable, or the failure is known: closing adds nothing to either. */
async function closeQuietly(file: OpenFile): Promise<void> {
  await file.close().catch(() => undefined);
}
