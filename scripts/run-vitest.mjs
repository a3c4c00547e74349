import { chooseSeed } from "./property-seed.mjs";
import { ROOT } from "./repository.mjs";
import { runInForeground } from "./run-process.mjs";

/**
 * Runs vitest once and answers its exit code. The seed is printed first, so that it is known whatever happens after.
 *
 * @param {object} request
 * @param {string} request.command what the user typed, to tell how to repeat it
 * @param {readonly string[]} request.vitestArguments
 * @param {Record<string, string>} [request.env]
 * @returns {Promise<number>}
 */
export function runVitest({ command, vitestArguments, env = {} }) {
  const seed = chooseSeed(process.env);
  console.log(`property seed: ${seed} (REPRISE_SEED=${seed} ${command} repeats this run)`);
  return runInForeground(process.execPath, ["node_modules/vitest/vitest.mjs", "run", ...vitestArguments], {
    cwd: ROOT,
    env: { ...process.env, ...env, REPRISE_SEED: String(seed) },
  });
}
