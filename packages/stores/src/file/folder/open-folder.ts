import { realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { explainPath } from "../../sqlite/explain-path.ts";
import { OpenedFiles } from "../../sqlite/opened-files.ts";
import { closeToStrangers } from "../../sqlite/private-file.ts";
import { BlobFolder } from "../blob/blob-folder.ts";
import { type Disk, NODE_DISK } from "../disk/disk.ts";
import { fromDiskError } from "../disk/disk-errors.ts";
import { DocumentFolder } from "../document/document-folder.ts";
import { loadDocuments } from "../document/load-documents.ts";
import { LogFolder } from "../log/log-folder.ts";
import { lockFolder } from "./folder-lock.ts";
import { findMarker, writeMarker } from "./folder-marker.ts";
import { loadThreads } from "./load-threads.ts";
import { StoreFolder } from "./store-folder.ts";

/** A folder that is open, and the way to give it up, to be used once. */
export interface SharedFolder {
  readonly folder: StoreFolder;
  readonly files: OpenedFiles;
  release(): void;
}

interface Opening {
  readonly opened: Promise<{ readonly folder: StoreFolder; readonly unlock: () => void }>;
  holders: number;
}

/** The folders that this process has open, by their real paths: a second handle shares what the first one read. */
const OPEN = new Map<string, Opening>();

/** Opens a folder, making it if its parent is there. `STORE_OWNED` when another process has it. */
export async function openFolder(path: string, disk: Disk = NODE_DISK): Promise<SharedFolder> {
  const real = await makeFolder(path, disk);
  const opening = OPEN.get(real) ?? { opened: openAlone(real, disk), holders: 0 };
  OPEN.set(real, opening);
  opening.holders += 1;
  try {
    const { folder, unlock } = await opening.opened;
    const files = new OpenedFiles(`The folder ${real}`, [real, join(real, "threads"), join(real, "lock")]);
    return { folder, files, release: () => giveUp(real, opening, unlock) };
  } catch (error) {
    if (OPEN.get(real) === opening) OPEN.delete(real);
    throw explainPath("folder", path, fromDiskError(error));
  }
}

/** Atomic, so that another process that opens the folder at this moment finds it either open or free. */
function giveUp(path: string, opening: Opening, unlock: () => void): void {
  opening.holders -= 1;
  if (opening.holders > 0) return;
  OPEN.delete(path);
  unlock();
}

async function makeFolder(path: string, disk: Disk): Promise<string> {
  try {
    await disk.makeFolder(path);
    await disk.syncFolder(dirname(path));
    return await realpath(path);
  } catch (error) {
    throw explainPath("folder", path, fromDiskError(error));
  }
}

async function openAlone(path: string, disk: Disk): Promise<Awaited<Opening["opened"]>> {
  const isStore = await findMarker(disk, path);
  closeToStrangers(path);
  const unlock = lockFolder(path);
  try {
    const logs = new LogFolder(disk, path);
    const blobPath = join(path, "blobs");
    const documents = new DocumentFolder(logs, join(path, "documents"));
    for (const part of [logs.path, logs.temporaryPath, blobPath, documents.path]) await disk.makeFolder(part);
    await emptyFolder(disk, logs.temporaryPath);
    if (!isStore) await writeMarker(logs, path);
    await disk.syncFolder(path);
    const folder = new StoreFolder(logs, new BlobFolder(logs, blobPath), documents);
    await loadThreads(logs, (name, log) => folder.takeLog(name, log));
    await loadDocuments(disk, documents);
    return { folder, unlock };
  } catch (error) {
    unlock();
    throw error;
  }
}

/** What is in there was being written when a process ended. */
async function emptyFolder(disk: Disk, path: string): Promise<void> {
  for (const { name } of await disk.list(path)) await disk.unlink(join(path, name));
}
