import { statSync } from "node:fs";
import { delimiter, join } from "node:path";
import { runInForeground } from "../run-process.mjs";

/**
 * Says why dependencies must be installed, or nothing when they are current.
 * npm writes the hidden lockfile last, so a folder without it is one whose installation was cut short.
 *
 * @param {string} root
 * @returns {string | undefined}
 */
export function whyInstall(root) {
  const wanted = modifiedAt(join(root, "package-lock.json"));
  const installed = modifiedAt(join(root, "node_modules", ".package-lock.json"));
  if (installed === undefined) {
    const begun = modifiedAt(join(root, "node_modules")) !== undefined;
    return begun ? "node_modules is incomplete" : "there is no node_modules yet (the first time takes a minute)";
  }
  if (wanted !== undefined && installed < wanted) return "package-lock.json is newer than node_modules";
  return undefined;
}

/**
 * Runs `npm ci` where the user sees it.
 * Only errors are shown: on Node 20 npm would warn that our tools want a newer Node, which they get a moment later.
 *
 * @param {string} root
 * @returns {Promise<number>} npm's exit code
 */
export function installDependencies(root) {
  return runInForeground("npm", ["ci", "--loglevel=error", "--no-fund", "--no-audit"], {
    cwd: root,
    env: { ...process.env, PATH: pathWithoutOwnPrograms(root, process.env.PATH ?? "") },
  });
}

/**
 * npm puts our node_modules/.bin first on PATH. npm ci deletes that folder, and with it the pinned Node it would
 * itself be running on, so it has to run on the Node outside.
 *
 * @param {string} root
 * @param {string} path
 */
export function pathWithoutOwnPrograms(root, path) {
  const own = join(root, "node_modules");
  return path
    .split(delimiter)
    .filter((folder) => folder !== own && !folder.startsWith(join(own, "/")))
    .join(delimiter);
}

/** @param {string} path */
function modifiedAt(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs;
}
