import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const EXAMPLES = new URL("../../../examples/", import.meta.url);

it.concurrent.each([
  "26-workflow-review",
  "27-workflow-gate",
  "28-workflow-map-reduce",
  "29-workflow-retry",
  "30-workflow-media",
])("the example %s prints what it should", async (name) => {
  const main = fileURLToPath(new URL(`${name}/main.ts`, EXAMPLES));
  const { stdout } = await promisify(execFile)(process.execPath, ["--conditions=reprise-source", main]);
  expect(stdout).toBe(readFileSync(new URL(`${name}/expected-output.txt`, EXAMPLES), "utf8"));
});
