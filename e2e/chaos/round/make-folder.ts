import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Where there is a disk in memory, rounds are on it: a kill leaves the page cache alone, so a real disk would prove no more. */
const PARENT = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

/** What this process still has to remove when it ends. */
const temporary = new Set<string>();
let isListening = false;

/** A folder for one round. It goes with this process, unless somebody keeps it. */
export function makeFolder(): string {
  const folder = mkdtempSync(join(PARENT, "reprise-chaos-"));
  temporary.add(folder);
  if (!isListening) process.once("exit", () => [...temporary].forEach(removeFolder));
  isListening = true;
  return folder;
}

export function removeFolder(folder: string): void {
  temporary.delete(folder);
  rmSync(folder, { recursive: true, force: true });
}

/** Leaves a folder where it is. */
export function keepFolder(folder: string): void {
  temporary.delete(folder);
}
