import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, extname, join, normalize, relative } from "node:path";
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

/** Published as they are, beside the pages that show them. */
const PICTURE = /\.(svg|png|gif|jpe?g|webp|mp4)$/;

/**
 * The pages of the documentation: everything in `docs/`, every example, and each file of the repository that one of these
 * links to. A link to a missing file is an error.
 *
 * @param {string} root
 * @returns {{ readonly pages: readonly Page[], readonly pictures: readonly string[] }} pictures are paths in the repository
 */
export function collectPages(root) {
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
      if (!existsSync(join(root, linked))) throw new Error(`${source} links to a file that does not exist: ${target}`);
      if (PICTURE.test(linked)) pictures.add(linked);
      else sources.push(pageFor(root, linked, source));
      const published = relative(dirname(path), PICTURE.test(linked) ? publicPath(linked) : publishedPath(linked));
      return `${published.startsWith(".") ? "" : "./"}${published}${anchor === undefined ? "" : `#${anchor}`}`;
    });
    pages.set(path, { source, path, markdown, ...describePage(markdown) });
  }
  return { pages: [...pages.values()], pictures: [...pictures] };
}

/**
 * The file that stands for a linked path: a folder is represented by its README, but the examples have a list of their own.
 *
 * @param {string} root
 * @param {string} linked
 * @param {string} source
 */
function pageFor(root, linked, source) {
  if (linked === "examples" || !statSync(join(root, linked)).isDirectory()) return linked;
  const readme = `${linked}/README.md`;
  if (!existsSync(join(root, readme))) throw new Error(`${source} links to ${linked}, a folder without a README.md.`);
  return readme;
}

/**
 * Where a file or folder of the repository is published, as Markdown.
 *
 * @param {string} source
 */
export function publishedPath(source) {
  const path = publicPath(source);
  if (path === "README.md" && source !== path) return "overview.md";
  if (source === "examples") return "examples/index.md";
  const [, example] = /^(examples\/[^/]+)\/[^/]+\.ts$/.exec(source) ?? [];
  if (example !== undefined) return `${example}.md`;
  if (extname(path) === "") return `${path}/README.md`;
  return path.endsWith(".md") ? path.replace(/^adr\/README\.md$/, "adr/index.md") : `${path}.md`;
}

/**
 * The folders of `docs/` are the top level of what is published.
 *
 * @param {string} source
 */
export function publicPath(source) {
  return source.replace(/^docs\//, "");
}

/**
 * @param {string} root
 * @param {string} source
 */
function readAsMarkdown(root, source) {
  if (source === "examples") return listExamples(root);
  if (/^examples\/[^/]+\/[^/]+\.ts$/.test(source)) return showExample(root, dirname(source));
  const text = readFileSync(join(root, source), "utf8");
  return source.endsWith(".md") ? text : `# ${source}\n\n${fence(extname(source).slice(1), text)}`;
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
