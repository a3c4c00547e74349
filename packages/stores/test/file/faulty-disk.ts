import { type Disk, NODE_DISK, type OpenFile } from "../../src/file/disk/disk.ts";

/** What is about to be done to the disk. */
export interface DiskCall {
  readonly call: "open" | "write" | "truncate" | "datasync" | "rename" | "unlink" | "sync_folder";
  readonly path: string;
}

/**
 * Called before everything that is done to the disk. It may wait, or throw what the system would; of a write, as much as it
 * returns is done before it fails.
 */
export type DiskHook = (call: DiskCall) => Promise<void> | void;

/** An error as the system makes them. */
export function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: made by a test`), { code, syscall: "test" });
}

/** A disk that does what a test wants. `calls` is what was done to it. */
export function createFaultyDisk(): { readonly disk: Disk; readonly calls: DiskCall[]; hook: DiskHook } {
  const calls: DiskCall[] = [];
  const made = { disk: NODE_DISK, calls, hook: (() => {}) as DiskHook };
  const before = async (call: DiskCall["call"], path: string): Promise<void> => {
    calls.push({ call, path });
    await made.hook({ call, path });
  };
  const wrapFile = (file: OpenFile, path: string): OpenFile => ({
    read: (bytes, offset, length, position) => file.read(bytes, offset, length, position),
    async write(bytes, offset, length, position) {
      try {
        await before("write", path);
      } catch (error) {
        // A disk that is full takes what fits.
        await file.write(bytes, offset, Math.floor(length / 2), position);
        throw error;
      }
      return file.write(bytes, offset, length, position);
    },
    async truncate(length) {
      await before("truncate", path);
      await file.truncate(length);
    },
    async datasync() {
      await before("datasync", path);
      await file.datasync();
    },
    stat: () => file.stat(),
    close: () => file.close(),
  });
  const disk: Disk = {
    ...NODE_DISK,
    async open(path, flags) {
      await before("open", path);
      return wrapFile(await NODE_DISK.open(path, flags), path);
    },
    async rename(from, to) {
      await before("rename", to);
      await NODE_DISK.rename(from, to);
    },
    async unlink(path) {
      await before("unlink", path);
      await NODE_DISK.unlink(path);
    },
    async syncFolder(path) {
      await before("sync_folder", path);
      await NODE_DISK.syncFolder(path);
    },
  };
  made.disk = disk;
  return made;
}
