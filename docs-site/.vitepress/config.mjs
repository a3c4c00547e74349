import { readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vitepress";
import { anchorOf, describePage } from "../../scripts/docs/markdown.mjs";
import { readContents } from "../../scripts/docs/read-contents.mjs";
import { drawMermaid } from "./draw-mermaid.mjs";
import { keepBraces } from "./keep-braces.mjs";

const ROOT = join(import.meta.dirname, "../..");
const contents = readContents(ROOT);

export default defineConfig({
  title: "Reprise",
  description: "An agent run you can stop, kill, move to another machine, resume, rewind, fork, and prove.",
  lang: "en",
  srcDir: "dist/pages",
  outDir: "dist/site",
  cacheDir: "dist/cache",
  // Without it every page repeats the sidebars of all.
  metaChunk: true,
  head: [
    ["link", { rel: "icon", href: "/logo.svg", type: "image/svg+xml" }],
    ["meta", { name: "theme-color", content: "#4f46e5" }],
  ],
  transformPageData: (page) => {
    if (page.frontmatter.layout === "home") return;
    const { description } = describePage(readFileSync(join(ROOT, "docs-site/dist/pages", page.filePath), "utf8"));
    return { description };
  },
  markdown: {
    // The same anchors as on GitHub, where the pages are read too.
    anchor: { slugify: anchorOf },
    theme: { light: "github-light", dark: "github-dark" },
    config: (markdown) => {
      drawMermaid(markdown);
      keepBraces(markdown);
    },
  },
  themeConfig: {
    logo: "/logo.svg",
    search: { provider: "local" },
    outline: { level: [2, 3] },
    nav: [
      { text: "Tutorial", link: firstPage("Tutorial"), activeMatch: "^/tutorial/" },
      { text: "How-to", link: firstPage("How-to"), activeMatch: "^/how-to/" },
      { text: "Reference", link: firstPage("Reference"), activeMatch: "^/reference/" },
      { text: "API", link: "/api/", activeMatch: "^/api/" },
      { text: "Explanation", link: firstPage("Explanation"), activeMatch: "^/explanation/" },
    ],
    sidebar: { "/": contents.map(toSidebar), ...readApiSidebars() },
    docFooter: { prev: "Previous", next: "Next" },
    footer: { message: "Apache-2.0. No telemetry, no licence keys." },
  },
});

/** @param {string} title */
function firstPage(title) {
  const entry = contents.find((section) => section.title === title)?.groups[0]?.entries[0];
  if (entry === undefined) throw new Error(`docs/README.md must have a section "${title}" with a page.`);
  return linkTo(entry.path);
}

/** @param {string} path */
function linkTo(path) {
  return `/${path.replace(/\.md$/, "")}`;
}

/** @param {import("../../scripts/docs/read-contents.mjs").Section} section */
function toSidebar({ title, groups }) {
  const items = groups.flatMap((group) => {
    const entries = group.entries.map(({ title: text, path }) => ({ text, link: linkTo(path) }));
    return group.title === undefined
      ? entries
      : [{ text: group.title, items: entries, collapsed: group.title !== "Start" }];
  });
  return { text: title, items, collapsed: title === "Decisions" || title === "Examples" };
}

/** What generate-api.mjs has left. The list of modules is beside no names. */
function readApiSidebars() {
  const sidebars = JSON.parse(readFileSync(join(ROOT, "docs-site/dist/api-sidebars.json"), "utf8"));
  const modules = Object.keys(sidebars).map((link) => ({ text: link.slice("/api/".length, -1), link }));
  return { ...sidebars, "/api/": [{ text: "API reference", link: "/api/", items: modules }] };
}
