import { join } from "node:path";
import { expect } from "vitest";

/** Hashes of definitions follow from much that is not looked at here. */
const HASH = /[0-9a-f]{64}/g;

/** Compares an answer, status and body, with what it was when it was last looked at. */
export async function expectGolden(name: string, response: Response, hide: RegExp = HASH): Promise<void> {
  const text = await response.text();
  const type = response.headers.get("content-type") ?? "";
  const body = type === "application/json" ? JSON.stringify(JSON.parse(text), null, 2) : text;
  const file = join(import.meta.dirname, "..", "golden", `${name}.txt`);
  const shown = body.replace(HASH, "<hash>").replace(hide, "<hidden>");
  await expect(`${response.status} ${type}\n${shown}\n`).toMatchFileSnapshot(file);
}
