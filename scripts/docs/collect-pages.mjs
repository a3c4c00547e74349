import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import { listFiles } from "../repository.mjs";
import { changeLinks, describePage, isWebAddress } from "./markdown.mjs";

/**
 * @typedef {object} Page
 * @property {string} source its path in the repository
 * @property {string} path where it is published; always a `.md` file
 * @property {string} title
 * @property {string} description the beginning of its first paragraph
 * @property {string} markdown with links to where the other pages are published
 */

/** @typedef {{ readonly pages: readonly Page[], readonly pictures: readonly string[] }} Documents pictures are paths in the repository */

/** Published as they are, beside the pages that show them. */
const PICTURE = /\.(svg|png|gif|jpe?g|webp|mp4)$/;

/** A program of an example; one page shows all of them. */
const EXAMPLE = /^examples\/[^/]+\/[^/]+\.ts$/;

/**
 * The pages of the documentation: everything in `docs/`, every example, and each Markdown file of the repository that one of
 * these links to. Links to other files, such as tests, are only named. A link to a missing file is an error.
 *
 * @param {string} root
 * @param {(source: string) => boolean} [isWanted] which of the linked files are published; all of them unless given
 * @returns {Documents}
 */
export function collectPages(root, isWanted = () => true) {
  const sources = [
    ...listFiles(root, "docs").filter((file) => file.endsWith(".md")),
    "examples",
    ...listFiles(root, "examples").filter((file) => /^examples\/[^/]+\/main\.ts$/.test(file)),
  ];
  /** @type {Map<string, Page>} */
  const pages = new Map();
  /** @type {Set<string>} */
  const pictures = new Set();
  for (const source of sources) {
    const path = publishedPath(source);
    if (pages.has(path)) continue;
    const markdown = changeLinks(readAsMarkdown(root, source), (target) => {
      if (isWebAddress(target) || target.startsWith("#")) return target;
      const [file = "", anchor] = target.split("#");
      const linked = normalize(join(dirname(source), decodeURIComponent(file))).replace(/\/$/, "");
      if (!isWanted(linked)) return undefined;
      if (!existsSync(join(root, linked))) throw new Error(`${source} links to a file that does not exist: ${target}`);
      if (!isPage(linked) && !PICTURE.test(linked)) return undefined;
      if (PICTURE.test(linked)) pictures.add(linked);
      else sources.push(linked);
      const published = relative(dirname(path), publishedPath(linked));
      return `${published.startsWith(".") ? "" : "./"}${published}${anchor === undefined ? "" : `#${anchor}`}`;
    });
    pages.set(path, { source, path, markdown, ...describePage(markdown) });
  }
  return { pages: [...pages.values()], pictures: [...pictures] };
}

/**
 * Writes pages and pictures below a folder.
 *
 * @param {string} root
 * @param {string} folder
 * @param {Documents} documents
 */
export function writePages(root, folder, { pages, pictures }) {
  for (const { path, markdown } of pages) {
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    writeFileSync(join(folder, path), markdown);
  }
  for (const picture of pictures) cpSync(join(root, picture), join(folder, publishedPath(picture)));
}

/**
 * Whether a file or folder of the repository can be published as a page.
 *
 * @param {string} path
 */
function isPage(path) {
  return path.endsWith(".md") || path === "examples" || EXAMPLE.test(path);
}

/**
 * Where a file or folder of the repository is published: `docs/` is the top level, and files from elsewhere have a folder.
 *
 * @param {string} source
 */
export function publishedPath(source) {
  if (source === "examples") return "examples/README.md";
  if (EXAMPLE.test(source)) return `${dirname(source)}.md`;
  if (source.startsWith("docs/")) return source.slice("docs/".length);
  return source.startsWith("examples/") ? source : `repository/${source}`;
}

/**
 * @param {string} root
 * @param {string} source
 */
function readAsMarkdown(root, source) {
  if (source === "examples") return listExamples(root);
  if (EXAMPLE.test(source)) return showExample(root, dirname(source));
  return readFileSync(join(root, source), "utf8");
}

/** @param {string} root */
function listExamples(root) {
  const mains = listFiles(root, "examples").filter((file) => /^examples\/[^/]+\/main\.ts$/.test(file));
  const lines = mains.map((file) => `- [${titleOf(dirname(file))}](${file}): ${purposeOf(root, file)}`);
  return `# Examples\n\nPrograms that run in a clone of the repository without an API key.\n\n${lines.join("\n")}\n`;
}

/**
 * One page for all programs of an example: the one to start first.
 *
 * @param {string} root
 * @param {string} folder
 */
function showExample(root, folder) {
  const main = `${folder}/main.ts`;
  const others = listFiles(root, folder).filter((file) => file.endsWith(".ts") && file !== main);
  const expected = join(root, folder, "expected-output.txt");
  return [
    `# ${titleOf(folder)}`,
    purposeOf(root, main),
    `Run it in a clone of the repository, after \`npm ci\`:`,
    fence("sh", `npx node --conditions=reprise-source ${main}\n`),
    ...[main, ...others].flatMap((file) => [
      `## ${file.slice(folder.length + 1)}`,
      fence("ts", readFileSync(join(root, file), "utf8")),
    ]),
    ...(existsSync(expected) ? ["## What it prints", fence("text", readFileSync(expected, "utf8"))] : []),
    "",
  ].join("\n\n");
}

/** @param {string} folder `examples/02-time-travel` */
function titleOf(folder) {
  const words = folder.replace(/^examples\/(\d+-)?/, "").replaceAll("-", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/**
 * The comment at the top of an example.
 *
 * @param {string} root
 * @param {string} file
 */
function purposeOf(root, file) {
  const [comment = ""] = /^(\/\/.*\n)+/.exec(readFileSync(join(root, file), "utf8")) ?? [];
  if (comment === "") throw new Error(`${file} must begin with a comment that says what it shows.`);
  return comment.replace(/^\/\/ ?/gm, "").trim();
}

/**
 * @param {string} language
 * @param {string} text
 */
function fence(language, text) {
  return `\`\`\`\`${language}\n${text}\`\`\`\``;
}
