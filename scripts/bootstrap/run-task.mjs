import { ROOT } from "../repository.mjs";
import { runInForeground } from "../run-process.mjs";
import { installDependencies, whyInstall } from "./install.mjs";
import { pinnedNode } from "./pinned-node.mjs";
import { TASKS } from "./tasks.mjs";

/**
 * Runs one task of the table and answers its exit code. What the user adds on the command line goes to the task.
 *
 * @param {readonly string[]} commandLine the task's name, then its arguments
 * @returns {Promise<number>}
 */
export async function runTask([name = "", ...extra]) {
  const task = Object.hasOwn(TASKS, name) ? TASKS[name] : undefined;
  if (task === undefined) {
    console.error(`${name === "" ? "A task is needed" : `There is no task "${name}"`}. Tasks:\n${describeTasks()}`);
    return 2;
  }

  const reason = whyInstall(ROOT);
  if (reason !== undefined) {
    console.log(`Installing dependencies with npm ci: ${reason}.`);
    const code = await installDependencies(ROOT);
    if (code !== 0) {
      console.error(`npm ci failed with exit code ${code}; what it said is above.`);
      return code;
    }
  }

  const node = pinnedNode(ROOT);
  if (node.path === undefined) {
    console.error(node.problem);
    return 1;
  }
  if (task.needsStudio) {
    const code = await runInForeground(node.path, ["scripts/studio.mjs"], { cwd: ROOT });
    if (code !== 0) return code;
  }
  return await runInForeground(node.path, [...task.command, ...extra], { cwd: ROOT });
}

function describeTasks() {
  return Object.entries(TASKS)
    .map(([name, { purpose }]) => `  ${name.padEnd(8)} ${purpose}`)
    .join("\n");
}
