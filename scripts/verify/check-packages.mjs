import { join } from "node:path";
import { listPublished } from "../repository.mjs";
import { runCaptured } from "../run-process.mjs";

const REQUIRED = ["package.json", "README.md", "LICENSE", "dist/index.js", "dist/index.d.ts"];
const UNWANTED = /^(src|test)\/|\.test(-d)?\.|\.tsbuildinfo$/;

/**
 * Checks every package that is published as its users will get it: its exports by publint, its files by npm itself.
 * Needs the build.
 *
 * @param {string} root
 * @returns {Promise<import("./run-steps.mjs").StepResult>}
 */
export async function checkPackages(root) {
  const published = listPublished(root);
  if (published.length === 0) return { passed: false, output: "There is no package to check." };
  /** @type {string[]} */
  const problems = [];
  for (const folder of published) {
    const { code, output } = await runCaptured(
      process.execPath,
      ["node_modules/publint/src/cli.js", "run", folder, "--strict"],
      { cwd: root },
    );
    if (code !== 0) problems.push(`${folder}: publint says\n${output.trim()}`);
    problems.push(
      ...findPackingProblems(await listPackedFiles(join(root, folder))).map((text) => `${folder}: ${text}`),
    );
  }
  return { passed: problems.length === 0, output: problems.join("\n"), remark: published.join(", ") };
}

/**
 * What is wrong with the list of files that would be published.
 *
 * @param {readonly string[]} files
 * @returns {string[]}
 */
export function findPackingProblems(files) {
  return [
    ...REQUIRED.filter((file) => !files.includes(file)).map((file) => `${file} would not be published`),
    ...files.filter((file) => UNWANTED.test(file)).map((file) => `${file} would be published`),
  ];
}

/** @param {string} folder */
async function listPackedFiles(folder) {
  const packed = await runCaptured("npm", ["pack", "--dry-run", "--json"], { cwd: folder });
  if (packed.code !== 0) throw new Error(`npm pack failed in ${folder}:\n${packed.output}`);
  return readPackedFiles(packed.stdout);
}

/**
 * npm answers with a list of packages, or from version 12 on with a record of them.
 *
 * @param {string} json
 * @returns {string[]}
 */
export function readPackedFiles(json) {
  /** @type {Record<string, { files: { path: string }[] }>} */
  const answer = JSON.parse(json);
  return Object.values(answer).flatMap(({ files }) => files.map(({ path }) => path));
}
