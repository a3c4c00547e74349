/** @import { Page } from "./collect-pages.mjs" */
/** @import { Section } from "./read-contents.mjs" */

const INTRODUCTION = `# Reprise

> An open-source, self-hosted agent runtime for TypeScript. You define tools, typed state and agents; Reprise runs them as durable,
> replayable runs: a run can be stopped, killed, moved to another machine, resumed, rewound, forked and verified.

- Install: \`npm install reprise\` (Node 22.18 or newer). Import from \`reprise\` and its subpaths only.
- No API key is needed to start: \`scriptedModel\` answers with a script.
- Everything written in TypeScript is camelCase; stored and wire data are snake_case.
- A skill for coding agents is in the package: \`skills/reprise/SKILL.md\`.
`;

/**
 * `llms.txt`: what Reprise is and where each page lies, for coding agents.
 *
 * @param {readonly Section[]} contents
 * @param {readonly Page[]} pages
 * @param {string} folder where the pages lie, seen from the file: "" or "docs/"
 */
export function composeLlms(contents, pages, folder) {
  const sections = listPages(contents, pages).map(({ title, listed }) => {
    const lines = listed.map(({ path, title: name, description }) => `- [${name}](${folder}${path}): ${description}`);
    return `## ${title}\n\n${lines.join("\n")}\n`;
  });
  return [INTRODUCTION, ...sections].join("\n");
}

/**
 * `llms-full.txt`: the pages themselves, one after the other, in the order of the table of contents.
 *
 * @param {readonly Section[]} contents
 * @param {readonly Page[]} pages
 */
export function composeLlmsFull(contents, pages) {
  const listed = listPages(contents, pages).flatMap((section) => section.listed);
  return [
    INTRODUCTION,
    ...listed.map(({ path, markdown }) => `<page path="${path}">\n\n${markdown.trim()}\n\n</page>\n`),
  ].join("\n");
}

/**
 * @param {readonly Section[]} contents
 * @param {readonly Page[]} pages
 */
function listPages(contents, pages) {
  const byPath = new Map(pages.map((page) => [page.path, page]));
  return contents.map(({ title, groups }) => ({
    title,
    listed: groups.flatMap(({ entries }) => entries.flatMap(({ path }) => byPath.get(path) ?? [])),
  }));
}
