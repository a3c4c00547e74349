import { rmSync } from "node:fs";
import { join } from "node:path";
import { TASKS } from "../bootstrap/tasks.mjs";
import { listPackages } from "../repository.mjs";
import { runCaptured } from "../run-process.mjs";
import { checkPackages } from "./check-packages.mjs";
import { findUnusedExports } from "./find-unused-exports.mjs";
import { checkImportSize } from "./measure-import.mjs";
import { runExamples } from "./run-examples.mjs";

/** @import { Tier } from "../tiers.mjs" */
/** @import { Step, StepResult } from "./run-steps.mjs" */

/**
 * The steps of the gate, cheapest first.
 *
 * @param {string} root
 * @returns {readonly Step[]}
 */
export function createSteps(root) {
  return [
    { name: "lint", run: () => runTask(root, "lint") },
    { name: "types", run: () => runTask(root, "types") },
    { name: "exports", run: () => checkExports(root) },
    { name: "size", run: () => checkImportSize(root) },
    { name: "test", run: () => runTests(root, "test") },
    { name: "prove", run: () => runTests(root, "prove") },
    { name: "build", run: () => buildAfresh(root) },
    { name: "packages", run: () => checkPackages(root) },
    { name: "examples", run: () => runExamples(root) },
    { name: "docs", run: () => runTask(root, "docs") },
  ];
}

/**
 * @param {string} root
 * @param {string} name
 * @returns {Promise<StepResult>}
 */
async function runTask(root, name) {
  const { code, output } = await runCaptured(process.execPath, TASKS[name]?.command ?? [], { cwd: root });
  return { passed: code === 0, output };
}

/**
 * @param {string} root
 * @returns {Promise<StepResult>}
 */
async function checkExports(root) {
  const unused = findUnusedExports(root);
  return { passed: unused.length === 0, output: unused.join("\n") };
}

/**
 * @param {string} root
 * @param {Tier} tier
 */
async function runTests(root, tier) {
  const result = await runTask(root, tier);
  // The last such line: the tests run vitest on fixtures, whose lines may show in a failure's output.
  const remark = result.output.match(/^tests: .*$/gm)?.at(-1);
  return { ...result, remark };
}

/**
 * Old output is removed first: a file whose source is gone would otherwise be published.
 *
 * @param {string} root
 */
function buildAfresh(root) {
  for (const folder of listPackages(root)) rmSync(join(root, folder, "dist"), { recursive: true, force: true });
  return runTask(root, "build");
}
