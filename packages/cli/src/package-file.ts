import { readFileSync } from "node:fs";
import { findPackageJSON } from "node:module";
import { dirname, join } from "node:path";

/** Reads a file of this package by its path inside it. The code may lie anywhere in it, as source or built. */
function readPackageFile(path: string): string {
  return readFileSync(join(packageFolder(), path), "utf8");
}

/** The version of this package. */
export function readVersion(): string {
  const { version }: { readonly version: string } = JSON.parse(readPackageFile("package.json"));
  return version;
}

/** The program of this package, as source or built like the code that asks. */
export function programFile(): string {
  return join(packageFolder(), import.meta.filename.endsWith(".ts") ? "src/main.ts" : "dist/main.js");
}

function packageFolder(): string {
  const manifest = findPackageJSON(import.meta.url);
  if (manifest === undefined) throw new Error("The package of the command line has no package.json.");
  return dirname(manifest);
}
