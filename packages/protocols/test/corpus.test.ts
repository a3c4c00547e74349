import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { ANSWERS } from "./recording/answers.ts";
import { ASKED } from "./recording/asked.ts";
import { CALLS } from "./recording/calls.ts";
import { DECIDED } from "./recording/decided.ts";
import { ENDINGS } from "./recording/endings.ts";
import { formatScene } from "./recording/format-scene.ts";
import { WORKFLOWS } from "./recording/workflows.ts";

const FOLDER = fileURLToPath(new URL("../../testkit/corpus/", import.meta.url));
const SCENES = [...ANSWERS, ...CALLS, ...DECIDED, ...ASKED, ...ENDINGS, ...WORKFLOWS];

/** The corpus is what the runtime does today; `-u` records it anew, and once more writes the golden files that follow from it. */
it.each(SCENES)("has recorded $name as it goes: $about", async ({ name, about, record }) => {
  const scene = { name, about, ...(await record()) };
  await expect(formatScene(scene)).toMatchFileSnapshot(`${FOLDER}${name}.json`);
});

/** Looked at before anything is recorded: a new scene is in the corpus from the next time on. */
const files = readdirSync(FOLDER);

it("has nothing in the corpus that nobody recorded", () => {
  const names = SCENES.map(({ name }) => `${name}.json`);
  expect(files.filter((file) => !names.includes(file))).toEqual([]);
});
