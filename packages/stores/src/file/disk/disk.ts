import { constants } from "node:fs";
import { mkdir, open, readdir, rename, stat, unlink, utimes } from "node:fs/promises";

/** An open file: a `FileHandle` of Node, as much of it as is needed here. */
export interface OpenFile {
  read(bytes: Buffer, offset: number, length: number, position: number): Promise<{ readonly bytesRead: number }>;
  write(
    bytes: Uint8Array,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ readonly bytesWritten: number }>;
  truncate(length: number): Promise<void>;
  datasync(): Promise<void>;
  stat(): Promise<{ readonly size: number }>;
  close(): Promise<void>;
}

/** Something in a folder. */
export interface FolderItem {
  readonly name: string;
  readonly isFile: boolean;
}

/** The file system under a store. Everything goes through it, so that a test can let it fail. */
export interface Disk {
  open(path: string, flags: number): Promise<OpenFile>;
  rename(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
  /** Makes a folder whose parent is there. One that is there already is no error. */
  makeFolder(path: string): Promise<void>;
  list(path: string): Promise<readonly FolderItem[]>;
  /** When a file was written or touched. */
  modifiedAt(path: string): Promise<number>;
  /** Has a file be as if it were written now. */
  touch(path: string): Promise<void>;
  /** Makes durable which names a folder has. */
  syncFolder(path: string): Promise<void>;
}

/** A link in the place of a file is refused, where the system can say so: it could lead out of the folder. */
const NO_LINKS = (constants.O_NOFOLLOW as number | undefined) ?? 0;

/** How files are opened. `make` refuses a file that is there. */
export const OPEN_TO: Readonly<Record<"read" | "write" | "make", number>> = {
  read: constants.O_RDONLY | NO_LINKS,
  write: constants.O_WRONLY | NO_LINKS,
  make: constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | NO_LINKS,
};

/** What people said is for the one whose process wrote it. */
const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;

export const NODE_DISK: Disk = {
  open: (path, flags) => open(path, flags, PRIVATE_FILE),
  rename,
  unlink,
  async makeFolder(path) {
    try {
      await mkdir(path, { mode: PRIVATE_FOLDER });
    } catch (error) {
      if (!hasCode(error, "EEXIST")) throw error;
    }
  },
  async list(path) {
    const items = await readdir(path, { withFileTypes: true });
    return items.map((item) => ({ name: item.name, isFile: item.isFile() }));
  },
  modifiedAt: async (path) => (await stat(path)).mtimeMs,
  touch: (path) => utimes(path, new Date(), new Date()),
  async syncFolder(path) {
    // There a folder cannot be opened, and names are durable with their file.
    if (process.platform === "win32") return;
    const folder = await open(path, constants.O_RDONLY);
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  },
};

/** Whether the system refused something for a certain reason. */
export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}

/** Writes all of it: the system may take only a part at a time. */
export async function writeAll(file: OpenFile, bytes: Uint8Array, position: number): Promise<void> {
  for (let written = 0; written < bytes.byteLength; ) {
    const { bytesWritten } = await file.write(bytes, written, bytes.byteLength - written, position + written);
    written += bytesWritten;
  }
}

/** Reads as many bytes as there are, up to a length. */
export async function readBytes(file: OpenFile, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await file.read(bytes, filled, length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}
