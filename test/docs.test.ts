import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { listFiles, ROOT } from "../scripts/repository.mjs";
import { findBrokenLinks } from "./support/documents/find-broken-links.ts";
import { readBlocks, readSnippets } from "./support/documents/read-blocks.ts";
import { createSnippetFolder } from "./support/documents/snippet-folder.ts";

const pages = listFiles(ROOT).filter((path) => path.endsWith(".md"));
const checked = pages.filter((path) => /^(README|CONTRIBUTING)\.md$|^docs\/|^packages\/[^/]+\/README\.md$/.test(path));
const snippets = checked.flatMap((page) => readSnippets(readBlocks(page, readFileSync(join(ROOT, page), "utf8"))));
const folder = createSnippetFolder(ROOT, snippets);
afterAll(() => folder.remove());

it("looks at something", () => {
  expect(checked).toContain("README.md");
  expect(snippets.length).toBeGreaterThan(0);
});

const runnable = snippets.filter(({ reasonNotToRun }) => reasonNotToRun === undefined);
describe.concurrent("programs in the documentation", () => {
  it.each(runnable)("$file:$line runs and prints what the page says", async (snippet) => {
    expect(await folder.run(snippet)).toBeUndefined();
  });

  it("have sound types", async () => {
    expect(await folder.check()).toBe("");
  });
});

it.each(pages)("%s links to what exists", (page) => {
  expect(findBrokenLinks(ROOT, page)).toEqual([]);
});
