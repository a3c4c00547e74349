import { existsSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { RepriseError } from "@reprise/contracts";

/**
 * The error of a store that could not be opened. Stores create their file or folder, but not the folders above it: a misspelt path must not
 * become a new, empty store. When the path is the reason, the error says so and names the remedy.
 */
export function explainPath(kind: "file" | "folder", path: string, cause: unknown): unknown {
  const parent = dirname(resolve(path));
  if (!existsSync(parent)) {
    const message = `The store ${path} cannot be opened: the folder ${parent} does not exist. Create it (mkdir -p ${parent}), or correct the path.`;
    return new RepriseError("STORE_UNAVAILABLE", message, {
      cause,
      details: { reason: "missing_folder", folder: parent },
    });
  }
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory();
  if (isFolder === undefined || isFolder === (kind === "folder")) return cause;
  const remedy = isFolder
    ? `it is a folder. Name a file, such as ${join(path, "app.db")}`
    : "it is a file. Name a folder";
  const details = { reason: isFolder ? "is_folder" : "is_file" };
  return new RepriseError("STORE_UNAVAILABLE", `The store ${path} cannot be opened: ${remedy}.`, { cause, details });
}
