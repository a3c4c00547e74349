import { statSync } from "node:fs";
import { RepriseError } from "@reprise/contracts";

/** How long a reader assumes that the files exist. A writer checks each time. */
const GLANCE_MS = 100;

/**
 * The files of an open store. A system continues to read and write a file that was deleted or replaced, as if it were there: what is
 * written then is visible to no other process and gone when this one ends.
 */
export class OpenedFiles {
  readonly #name: string;
  readonly #paths: readonly string[];
  readonly #identities: readonly (string | undefined)[];
  #lookedAt = 0;

  constructor(name: string, paths: readonly string[]) {
    this.#name = name;
    this.#paths = paths;
    this.#identities = paths.map(identityOf);
  }

  get areThere(): boolean {
    return this.#paths.every((path, index) => identityOf(path) === this.#identities[index]);
  }

  /** Throws `STORE_REPLACED` unless all of them are still what was opened. */
  assertThere(): void {
    if (this.areThere) return;
    const remedy = "Put the files back that were there, or stop every process that uses the store and start again.";
    throw new RepriseError("STORE_REPLACED", `${this.#name} was deleted or replaced while it was open. ${remedy}`);
  }

  /** The same for readers, who ask often. */
  glance(): void {
    const now = Date.now();
    if (Math.abs(now - this.#lookedAt) < GLANCE_MS) return;
    this.assertThere();
    this.#lookedAt = now;
  }
}

/** What stays the same while a file grows and is moved, and is another one for another file. */
function identityOf(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? undefined : `${found.dev}:${found.ino}`;
}

/** The files of a SQLite database that is open for writing. */
export function openedDatabase(file: string): OpenedFiles {
  return new OpenedFiles(`The SQLite file ${file}`, [file, `${file}-wal`, `${file}-shm`]);
}
