import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFakeEnv } from "@reprise/testkit";
import { onTestFinished } from "vitest";
import { type FileStore, openFileStore } from "../../src/file/open-file-store.ts";

/** Where there is a disk in memory, stores of tests are on it: hundreds of them flush, and none has to survive. */
const PARENT = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

/** A place for one store; the store makes its folder in it. */
export function makePlace(): { readonly folder: string; readonly remove: () => void } {
  const place = mkdtempSync(join(PARENT, "reprise-file-"));
  return { folder: join(place, "store"), remove: () => rmSync(place, { recursive: true, force: true }) };
}

export function usePlace(): string {
  const { folder, remove } = makePlace();
  onTestFinished(remove);
  return folder;
}

/** A store under test with its own time, and further handles on its folder. */
export async function openTemporaryFileStore() {
  const { folder, remove } = makePlace();
  const { clock, advance } = createFakeEnv();
  const handles: FileStore[] = [];
  const reopen = async (): Promise<FileStore> => {
    const store = await openFileStore({ folder, clock });
    handles.push(store);
    return store;
  };
  const close = async (): Promise<void> => {
    await Promise.all(handles.map((handle) => handle.close()));
    remove();
  };
  /** Closes all handles and opens the folder anew, so that everything is read back. */
  const restart = async (): Promise<FileStore> => {
    await Promise.all(handles.splice(0).map((handle) => handle.close()));
    return reopen();
  };
  return { store: await reopen(), folder, clock, advance, reopen, restart, close };
}

/** The same, closed with the test. */
export async function useTemporaryFileStore() {
  const opened = await openTemporaryFileStore();
  onTestFinished(opened.close);
  return opened;
}
