import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ROOT } from "../../../scripts/repository.mjs";
import { parseSkillMd } from "../../plugins/src/skills/parse-skill-md.ts";

const folder = join(import.meta.dirname, "../skills/reprise");
const text = readFileSync(join(folder, "SKILL.md"), "utf8");

it("issue 21: the skill for coding agents is one by the open format, without a warning", async () => {
  const { skill, problems, instructions } = await parseSkillMd(text, "reprise");
  expect(problems).toEqual([]);
  expect(skill?.description).toContain("Use it in projects that depend on `reprise`");
  // Loaded whole into the context of a model.
  expect(instructions.length).toBeLessThan(8_000);
});

it("issue 21: every page that the skill names is shipped beside it", () => {
  const pages = [...text.matchAll(/`(docs\/[\w./-]+\.md)`/g)].map(([, page = ""]) => page);
  expect(pages.length).toBeGreaterThan(5);
  expect(pages.filter((page) => !existsSync(join(ROOT, page)))).toEqual([]);
  const { files } = JSON.parse(readFileSync(join(import.meta.dirname, "../package.json"), "utf8"));
  expect(files).toEqual(expect.arrayContaining(["skills", "docs", "llms.txt"]));
});
