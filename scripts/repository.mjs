import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The repository's folder, wherever a command was called from. */
export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/** What is made by tools or for one run only; never ours to check. */
const GENERATED = new Set(["node_modules", "dist", "coverage"]);
const COPIED = /^packages\/(reprise\/docs|server\/studio[^/]*)$/;

/**
 * The files below a folder, as paths relative to the root with forward slashes, sorted. Hidden and generated folders
 * are left out, and a folder that does not exist has none.
 *
 * @param {string} root
 * @param {string} [below] a path relative to the root
 * @returns {string[]}
 */
export function listFiles(root, below = "") {
  const folder = join(root, below);
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .flatMap((entry) => {
      const path = below === "" ? entry.name : `${below}/${entry.name}`;
      if (entry.isFile()) return [path];
      const passedOver =
        !entry.isDirectory() || entry.name.startsWith(".") || GENERATED.has(entry.name) || COPIED.test(path);
      return passedOver ? [] : listFiles(root, path);
    })
    .sort();
}

/**
 * The workspace folders that hold a package: `packages/state`, …, `apps/studio`.
 *
 * @param {string} root
 * @returns {string[]}
 */
export function listPackages(root) {
  return ["packages", "apps"].flatMap((parent) =>
    existsSync(join(root, parent))
      ? readdirSync(join(root, parent))
          .map((name) => `${parent}/${name}`)
          .filter((folder) => existsSync(join(root, folder, "package.json")))
          .sort()
      : [],
  );
}

/**
 * Those of them that are published.
 *
 * @param {string} root
 * @returns {string[]}
 */
export function listPublished(root) {
  const isPrivate = (/** @type {string} */ folder) =>
    JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")).private === true;
  return listPackages(root).filter((folder) => !isPrivate(folder));
}
