import { existsSync, type FSWatcher, watch } from "node:fs";
import { basename, dirname } from "node:path";

/** Editors write a file in several steps, and a checkout many files: all that comes within this time is one change. */
const SETTLE_MS = 80;

/** Watches files, also those that do not exist yet. Folders are watched, because editors replace files. */
export class FileWatcher {
  readonly #onChange: (file: string) => void;
  readonly #folders = new Map<string, { readonly watcher: FSWatcher; readonly names: Set<string> }>();
  #settling: NodeJS.Timeout | undefined;

  constructor(onChange: (file: string) => void) {
    this.#onChange = onChange;
  }

  add(files: readonly string[]): void {
    for (const file of files) this.#namesIn(dirname(file))?.add(basename(file));
  }

  close(): void {
    clearTimeout(this.#settling);
    for (const { watcher } of this.#folders.values()) watcher.close();
    this.#folders.clear();
  }

  #namesIn(folder: string): Set<string> | undefined {
    const known = this.#folders.get(folder);
    if (known !== undefined || !existsSync(folder)) return known?.names;
    const names = new Set<string>();
    const watcher = watch(folder, (_, name) => {
      if (name !== null && names.has(name)) this.#changed(name);
    });
    // A folder that is deleted tells nothing more.
    watcher.on("error", () => this.#folders.delete(folder));
    this.#folders.set(folder, { watcher, names });
    return names;
  }

  #changed(name: string): void {
    clearTimeout(this.#settling);
    this.#settling = setTimeout(() => this.#onChange(name), SETTLE_MS);
  }
}
