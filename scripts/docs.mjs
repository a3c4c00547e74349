// Builds the documentation site from docs/ into docs-site/dist/site: installs the generator when it is missing, collects the
// pages, makes the API reference from doc comments, and fails on any dead link.
//
//   npm run docs              builds it
//   npm run docs -- --serve   builds it and shows it at http://127.0.0.1:4173
import { cpSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { installDependencies, whyInstall } from "./bootstrap/install.mjs";
import { collectPages, writePages } from "./docs/collect-pages.mjs";
import { composeLlms, composeLlmsFull } from "./docs/compose-llms.mjs";
import { findDeadLinks } from "./docs/find-dead-links.mjs";
import { readContents } from "./docs/read-contents.mjs";
import { ROOT } from "./repository.mjs";
import { runInForeground } from "./run-process.mjs";

const SITE_FOLDER = join(ROOT, "docs-site");
const PAGES = join(SITE_FOLDER, "dist/pages");
const SITE = join(SITE_FOLDER, "dist/site");
const VITEPRESS = "node_modules/vitepress/bin/vitepress.js";

process.exitCode = await buildSite();

/** @returns {Promise<number>} the exit code */
async function buildSite() {
  const reason = whyInstall(SITE_FOLDER);
  if (reason !== undefined) {
    console.log(`Installing the site generator with npm ci: ${reason}.`);
    const code = await installDependencies(SITE_FOLDER);
    if (code !== 0) return code;
  }
  const documents = writeSources();
  for (const command of [["generate-api.mjs"], [VITEPRESS, "build"]]) {
    const code = await runInForeground(process.execPath, command, { cwd: SITE_FOLDER });
    if (code !== 0) return code;
  }
  // Each page is also there as Markdown, for readers that are programs.
  writePages(ROOT, SITE, documents);
  const dead = findDeadLinks(SITE);
  for (const problem of dead) console.error(problem);
  if (dead.length > 0) return 1;
  console.log(`${documents.pages.length} pages and the API reference are in docs-site/dist/site.`);
  if (!process.argv.includes("--serve")) return 0;
  const serve = [VITEPRESS, "preview", "--port", "4173"];
  return await runInForeground(process.execPath, serve, { cwd: SITE_FOLDER });
}

/** Writes the sources of the site, as VitePress reads them. */
function writeSources() {
  rmSync(PAGES, { recursive: true, force: true });
  const documents = collectPages(ROOT);
  const contents = readContents(ROOT);
  writePages(ROOT, PAGES, documents);
  cpSync(join(SITE_FOLDER, "index.md"), join(PAGES, "index.md"));
  cpSync(join(SITE_FOLDER, "public"), join(PAGES, "public"), { recursive: true });
  writeFileSync(join(PAGES, "public/llms.txt"), composeLlms(contents, documents.pages, ""));
  writeFileSync(join(PAGES, "public/llms-full.txt"), composeLlmsFull(contents, documents.pages));
  return documents;
}
