/**
 * One check of the gate. `output` is shown when it failed, `remark` beside its line when it passed.
 *
 * @typedef {{ passed: boolean, output: string, remark?: string | undefined }} StepResult
 * @typedef {{ name: string, run: () => Promise<StepResult> }} Step
 */

/**
 * Runs the steps in order and stops at the first that fails, with what it printed.
 *
 * @param {readonly Step[]} steps
 * @param {ReadonlySet<string>} skipped names of steps to leave out
 * @param {(text: string) => void} write
 * @returns {Promise<boolean>} whether all that ran have passed
 */
export async function runSteps(steps, skipped, write) {
  const width = Math.max(...steps.map(({ name }) => name.length)) + 2;
  const begun = performance.now();
  let done = 0;
  for (const { name, run } of steps) {
    write(name.padEnd(width));
    if (skipped.has(name)) {
      write("left out\n");
      continue;
    }
    const stepBegun = performance.now();
    const { passed, output, remark } = await run();
    write(`${passed ? "passed" : "FAILED"} ${seconds(stepBegun).padStart(8)}${remark ? `  ${remark}` : ""}\n`);
    if (!passed) {
      write(`\n${output.trimEnd()}\n\nverify: ${name} failed after ${done} of ${steps.length} steps passed\n`);
      return false;
    }
    done += 1;
  }
  const gap = skipped.size > 0 ? `, ${skipped.size} left out` : "";
  write(`verify: ${done} of ${steps.length} steps passed${gap} in ${seconds(begun)}\n`);
  return true;
}

/** @param {number} since */
function seconds(since) {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`;
}
