import { existsSync, readFileSync } from "node:fs";
import { join, normalize } from "node:path";
import { listFiles } from "../repository.mjs";

/**
 * Links of a built site that lead to no file of it, or to no element of the page. Addresses on the web are not followed.
 *
 * @param {string} site
 * @returns {readonly string[]}
 */
export function findDeadLinks(site) {
  /** @type {Map<string, ReadonlySet<string>>} */
  const anchors = new Map();
  /** @param {string} file */
  const anchorsOf = (file) => {
    const known = anchors.get(file) ?? new Set(readAttributes(join(site, file), /\bid="([^"]+)"/g));
    anchors.set(file, known);
    return known;
  };
  return listFiles(site)
    .filter((file) => file.endsWith(".html"))
    .flatMap((file) =>
      [...new Set(readAttributes(join(site, file), /\b(?:href|src)="([^"]+)"/g))].flatMap((address) => {
        if (/^[a-z][a-z+.-]*:|^\/\//i.test(address)) return [];
        const { pathname, hash } = new URL(address, `http://site/${file}`);
        const target = findFile(site, decodeURIComponent(pathname).slice(1));
        if (target === undefined) return [`${file} links to a page that does not exist: ${address}`];
        if (hash === "" || !target.endsWith(".html")) return [];
        return anchorsOf(target).has(decodeURIComponent(hash.slice(1)))
          ? []
          : [`${file} links to a heading that does not exist: ${address}`];
      }),
    );
}

/**
 * The file that a static server answers with.
 *
 * @param {string} site
 * @param {string} path
 */
function findFile(site, path) {
  const candidates = path === "" || path.endsWith("/") ? [`${path}index.html`] : [path, `${path}.html`];
  return candidates.map((candidate) => normalize(candidate)).find((candidate) => existsSync(join(site, candidate)));
}

/**
 * @param {string} file
 * @param {RegExp} pattern
 */
function readAttributes(file, pattern) {
  return [...readFileSync(file, "utf8").matchAll(pattern)].map(([, value = ""]) => value.replaceAll("&amp;", "&"));
}
