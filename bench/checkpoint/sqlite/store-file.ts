import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A file for one store, on a disk. */
export interface StoreFile {
  readonly file: string;
  remove(): void;
}

export function makeStoreFile(): StoreFile {
  const folder = mkdtempSync(join(tmpdir(), "reprise-bench-sqlite-"));
  return { file: join(folder, "threads.db"), remove: () => rmSync(folder, { recursive: true, force: true }) };
}
