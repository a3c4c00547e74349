import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { isWebAddress, readAnchors, readLinks } from "../../../scripts/docs/markdown.mjs";

/** Links of a markdown file that lead to no file or to no heading of one. Addresses on the web are not followed. */
export function findBrokenLinks(root: string, file: string): readonly string[] {
  return readLinks(readFileSync(join(root, file), "utf8")).flatMap(({ target, line }) => {
    if (isWebAddress(target)) return [];
    const [path = "", anchor] = target.split("#");
    const targetFile = path === "" ? file : normalize(join(dirname(file), decodeURIComponent(path)));
    if (targetFile.startsWith("..")) return [`${file}:${line} links out of the repository: ${target}`];
    if (!existsSync(join(root, targetFile))) return [`${file}:${line} links to what does not exist: ${target}`];
    if (anchor === undefined || !targetFile.endsWith(".md")) return [];
    const headings = readAnchors(readFileSync(join(root, targetFile), "utf8"));
    return headings.has(decodeURIComponent(anchor)) ? [] : [`${file}:${line} links to no heading: ${target}`];
  });
}
