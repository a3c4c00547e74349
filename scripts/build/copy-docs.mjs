import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { listFiles } from "../repository.mjs";

/** A link or picture, its text and its target; code between backticks is not looked into. */
const LINK = /`[^`\n]*`|!?\[((?:[^[\]]|\[[^\]]*\](?:\([^)]*\))?)*)\]\(([^)\s]+)(?:\s+"[^"]*")?\)/g;
const SHIPPED = /\.(md|svg|png|gif|webp)$/;
const FENCE = /^([ \t]*)(`{3,}|~{3,})[^\n]*\n[\s\S]*?^\1\2[ \t]*$/gm;

/**
 * Copies the documentation into the package that ships it, for people without a network and for coding agents. What a page links
 * to outside of the documentation is not in the package: there only the link's text is left.
 *
 * @param {string} root
 * @param {string} [target]
 */
export function copyDocs(root, target = join(root, "packages/reprise/docs")) {
  rmSync(target, { recursive: true, force: true });
  for (const file of listFiles(root, "docs").filter((path) => SHIPPED.test(path))) {
    const copy = join(target, posix.relative("docs", file));
    mkdirSync(dirname(copy), { recursive: true });
    if (file.endsWith(".md")) writeFileSync(copy, withoutOutsideLinks(file, readFileSync(join(root, file), "utf8")));
    else cpSync(join(root, file), copy);
  }
}

/**
 * @param {string} file
 * @param {string} markdown
 */
export function withoutOutsideLinks(file, markdown) {
  const parts = [];
  let end = 0;
  for (const fence of markdown.matchAll(FENCE)) {
    parts.push(unlink(file, markdown.slice(end, fence.index)), fence[0]);
    end = fence.index + fence[0].length;
  }
  return [...parts, unlink(file, markdown.slice(end))].join("");
}

/**
 * @param {string} file
 * @param {string} text
 */
function unlink(file, text) {
  return text.replace(
    LINK,
    (link, /** @type {string | undefined} */ words, /** @type {string | undefined} */ target) => {
      if (target === undefined || /^([a-z][a-z+.-]*:|#)/i.test(target)) return link;
      const path = posix.normalize(posix.join(posix.dirname(file), target));
      return path.startsWith("docs/") ? link : (words ?? "");
    },
  );
}
