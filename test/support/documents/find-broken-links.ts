import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

/** The end of a link or picture; its text may itself hold a picture, so the beginning is not looked for. */
const INLINE_LINK = /\]\(\s*<?([^)\s>]+)>?[^)]*\)/g;
const DEFINITION = /^ {0,3}\[[^\]^]+\]:\s*<?([^\s>]+)/gm;
const HTML_LINK = /<(?:a|img|source)\b[^>]*?\b(?:href|src)="([^"]+)"/g;

/** Links of a markdown file that lead to no file or to no heading of one. Addresses on the web are not followed. */
export function findBrokenLinks(root: string, file: string): readonly string[] {
  const text = withoutCode(readFileSync(join(root, file), "utf8"));
  return readTargets(text).flatMap(({ target, line }) => {
    if (/^[a-z][a-z+.-]*:|^\/\//i.test(target)) return [];
    const [path = "", anchor] = target.split("#");
    const targetFile = path === "" ? file : normalize(join(dirname(file), decodeURIComponent(path)));
    if (targetFile.startsWith("..")) return [`${file}:${line} links out of the repository: ${target}`];
    if (!existsSync(join(root, targetFile))) return [`${file}:${line} links to what does not exist: ${target}`];
    if (anchor === undefined || !targetFile.endsWith(".md")) return [];
    const headings = readAnchors(readFileSync(join(root, targetFile), "utf8"));
    return headings.has(decodeURIComponent(anchor)) ? [] : [`${file}:${line} links to no heading: ${target}`];
  });
}

/** Link targets in text whose code has been blanked. */
function readTargets(text: string): readonly { readonly target: string; readonly line: number }[] {
  return [INLINE_LINK, DEFINITION, HTML_LINK].flatMap((pattern) =>
    [...text.matchAll(pattern)].map(({ 1: target = "", index }) => ({
      target,
      line: text.slice(0, index).split("\n").length,
    })),
  );
}

/** Anchors as GitHub makes them from headings, and those written by hand. */
export function readAnchors(markdown: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const [, heading = ""] of withoutFences(markdown).matchAll(/^ {0,3}#{1,6}\s+(.*?)\s*#*\s*$/gm)) {
    const slug = heading
      .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{M}_\- ]/gu, "")
      .replaceAll(" ", "-");
    let anchor = slug;
    for (let copy = 1; anchors.has(anchor); copy += 1) anchor = `${slug}-${copy}`;
    anchors.add(anchor);
  }
  for (const [, name = ""] of markdown.matchAll(/<[^>]+\b(?:id|name)="([^"]+)"/g)) anchors.add(name);
  return anchors;
}

/** Blanks fenced blocks but keeps their lines, so that line numbers stay true. */
function withoutFences(markdown: string): string {
  return markdown.replace(/^(\s*)(`{3,}|~{3,})[^\n]*\n[\s\S]*?^\s*\2[`~]*\s*$/gm, (block) =>
    block.replace(/[^\n]/g, ""),
  );
}

function withoutCode(markdown: string): string {
  return withoutFences(markdown).replace(/(`+)(?!`)[^\n]*?[^`\n]\1(?!`)/g, (code) => " ".repeat(code.length));
}
