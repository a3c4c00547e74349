import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Where there is a disk in memory, rounds are on it: a kill leaves the page cache alone, so a real disk would prove no more. */
const PARENT = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

export function makeFolder(): string {
  return mkdtempSync(join(PARENT, "reprise-chaos-"));
}
