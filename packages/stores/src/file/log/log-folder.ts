import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { type Disk, OPEN_TO, type OpenFile } from "../disk/disk.ts";
import { FolderSync } from "../disk/folder-sync.ts";
import { Gate } from "../disk/gate.ts";

/** How many files are read at the same time. */
const READERS = 16;

/** Where the logs of a store are, and where files are made that are to take the place of others. */
export class LogFolder {
  readonly disk: Disk;
  readonly path: string;
  readonly temporaryPath: string;
  readonly reading: Gate = new Gate(READERS);
  readonly names: FolderSync;

  constructor(disk: Disk, folder: string) {
    this.disk = disk;
    this.path = join(folder, "threads");
    this.temporaryPath = join(folder, "temporary");
    this.names = new FolderSync(disk, this.path);
  }

  /**
   * Writes a file elsewhere and puts it, whole and durable, where another may be. `replaced` is called as soon as it is there,
   * before anybody can have read it; that its name is durable too is for the caller to see to.
   */
  async replace(path: string, write: (file: OpenFile) => Promise<void>, replaced: () => void): Promise<void> {
    const temporary = join(this.temporaryPath, randomUUID());
    try {
      const file = await this.disk.open(temporary, OPEN_TO.make);
      try {
        await write(file);
        await file.datasync();
      } finally {
        await file.close();
      }
      await this.disk.rename(temporary, path);
    } catch (error) {
      // What is left of it is taken away at the next opening at the latest.
      await this.disk.unlink(temporary).catch(() => undefined);
      throw error;
    }
    replaced();
  }
}
