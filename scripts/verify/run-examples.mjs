import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { listFiles } from "../repository.mjs";
import { runCaptured } from "../run-process.mjs";

const ONE_MINUTE_MS = 60_000;

/**
 * Runs each example as a reader would. It gets `input.txt` to read, must end well, and must print
 * `expected-output.txt`, where such files lie beside it.
 *
 * @param {string} root
 * @returns {Promise<import("./run-steps.mjs").StepResult>}
 */
export async function runExamples(root) {
  const examples = listFiles(root, "examples").filter((file) => /^examples\/[^/]+\/main\.ts$/.test(file));
  if (examples.length === 0) return { passed: false, output: "There is no examples/*/main.ts to run." };
  /** @type {string[]} */
  const problems = [];
  for (const example of examples) {
    const folder = join(root, dirname(example));
    const { code, stdout, output } = await runCaptured(process.execPath, ["--conditions=reprise-source", example], {
      cwd: root,
      input: readIfThere(join(folder, "input.txt")),
      timeoutMs: ONE_MINUTE_MS,
    });
    const expected = readIfThere(join(folder, "expected-output.txt")) ?? stdout;
    if (code !== 0) problems.push(`${example} ended with exit code ${code}:\n${output}`);
    else if (stdout !== expected) problems.push(`${example} printed\n${stdout}\nand should have printed\n${expected}`);
  }
  return { passed: problems.length === 0, output: problems.join("\n"), remark: `${examples.length} ran` };
}

/** @param {string} file */
function readIfThere(file) {
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
}
