import { spawnSync } from "node:child_process";
import { join } from "node:path";

/**
 * Finds the Node that the repository pins through the npm package `node`.
 * It is asked for its version, because a blocked install script leaves a link that leads nowhere.
 *
 * @param {string} root
 * @returns {{ path: string, problem?: undefined } | { path?: undefined, problem: string }}
 */
export function pinnedNode(root) {
  const path = join(root, "node_modules", ".bin", "node");
  if (spawnSync(path, ["--version"], { stdio: "ignore" }).status === 0) return { path };
  return {
    problem: [
      "The pinned Node (node_modules/.bin/node) is missing or does not run.",
      "The npm package `node` fetches it in its install script, so install scripts were probably blocked.",
      "Remedy: npm rebuild node --ignore-scripts=false",
    ].join("\n"),
  };
}
