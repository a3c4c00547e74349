import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, it } from "vitest";
import { listFiles, ROOT } from "../scripts/repository.mjs";

const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

it("the index of decisions lists every decision once, in order, by its title", () => {
  const written = listFiles(ROOT, "docs/adr")
    .filter((path) => /\/\d{4}-.*\.md$/.test(path))
    .sort()
    .map((path) => `[${read(path).split("\n", 1)[0]?.replace(/^# /, "")}](${basename(path)})`);
  const listed = read("docs/adr/README.md").match(/\[\d{4} [^\]]*\]\([^)]*\)/g);
  expect(written.length).toBeGreaterThan(20);
  expect(listed).toEqual(written);
});

it("no text was left in the middle of a merge", () => {
  const texts = listFiles(ROOT).filter((path) => /\.(md|[cm]?[jt]sx?|jsonc?|ya?ml|css|html|sh)$/.test(path));
  expect(texts.filter((path) => /^(<{7}|>{7})( |$)/m.test(read(path)))).toEqual([]);
});
