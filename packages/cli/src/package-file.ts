import { readFileSync } from "node:fs";
import { findPackageJSON } from "node:module";
import { dirname, join } from "node:path";

/** Reads a file of this package by its path inside it. The code may lie anywhere in it, as source or built. */
export function readPackageFile(path: string): string {
  const manifest = findPackageJSON(import.meta.url);
  if (manifest === undefined) throw new Error("The package of the command line has no package.json.");
  return readFileSync(join(dirname(manifest), path), "utf8");
}
