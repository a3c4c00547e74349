import { readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { publishedPath } from "./collect-pages.mjs";

/**
 * @typedef {{ readonly title: string, readonly path: string }} Entry `path` is where the page is published
 * @typedef {{ readonly title: string | undefined, readonly entries: readonly Entry[] }} Group
 * @typedef {{ readonly title: string, readonly groups: readonly Group[] }} Section
 */

/** The folders of pages, in the order in which a reader meets them. */
const SECTIONS = {
  tutorial: "Tutorial",
  "how-to": "How-to",
  examples: "Examples",
  reference: "Reference",
  explanation: "Explanation",
  adr: "Decisions",
};

/**
 * The table of contents: a section for each folder, with the pages in the order of `docs/README.md` under the names that it
 * gives them. Where a folder has pages below several headings of that file, these make groups. The sidebar and `llms.txt`
 * share it.
 *
 * @param {string} root
 * @returns {readonly Section[]}
 */
export function readContents(root) {
  const headings = readHeadings(root);
  return Object.entries(SECTIONS).map(([folder, title]) => {
    const groups = headings
      .map((group) => ({ ...group, entries: group.entries.filter(({ path }) => path.startsWith(`${folder}/`)) }))
      .filter(({ entries }) => entries.length > 0);
    const large = groups.filter(({ entries }) => entries.length > 1);
    const isGrouped = large.length > 1;
    return {
      title,
      groups: groups.map((group) => ({
        ...group,
        title: isGrouped && group.entries.length > 1 ? group.title : undefined,
      })),
    };
  });
}

/**
 * The pages below each heading of `docs/README.md`; a page belongs to the first heading that links to it.
 *
 * @param {string} root
 * @returns {readonly Group[]}
 */
function readHeadings(root) {
  /** @type {Set<string>} */
  const seen = new Set();
  const [, ...parts] = readFileSync(join(root, "docs/README.md"), "utf8").split(/^## /m);
  return parts.map((part) => ({
    title: part.slice(0, part.indexOf("\n")),
    entries: readEntries(root, "docs", part).filter(({ path }) => !seen.has(path) && seen.add(path)),
  }));
}

/**
 * The pages that a text links to. A link to the README of a folder brings the pages along that it links to.
 *
 * @param {string} root
 * @param {string} folder
 * @param {string} text
 * @returns {readonly Entry[]}
 */
function readEntries(root, folder, text) {
  return [...text.matchAll(/\[([^\]]+)\]\(([^)#\s]+)\)/g)].flatMap(([, title = "", target = ""]) => {
    const source = normalize(join(folder, target));
    const inner = /^docs\/.+\/README\.md$/.test(source) ? readFileSync(join(root, source), "utf8") : "";
    return [{ title, path: publishedPath(source) }, ...readEntries(root, dirname(source), inner)];
  });
}
