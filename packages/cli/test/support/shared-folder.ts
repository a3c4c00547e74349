import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

/** A folder that lives as long as the tests of a file. */
export function createSharedFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "reprise-cli-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
