import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync, readdirSync, statSync } from "node:fs";

/**
 * Everything that finding and installing a service asks of the machine, so that tests can describe another one.
 *
 * @typedef {object} Machine
 * @property {Readonly<Record<string, string | undefined>>} env
 * @property {number | undefined} userId undefined where the system has no user numbers
 * @property {(path: string) => boolean} exists
 * @property {(path: string) => boolean} isProgram
 * @property {(folder: string) => readonly string[]} list names in a folder, none when it does not exist
 * @property {(program: string, programArguments: readonly string[], env?: Record<string, string>) => Ran} run
 */

/** @typedef {{ readonly succeeded: boolean, readonly output: string }} Ran */

/** @returns {Machine} */
export function thisMachine() {
  return {
    env: process.env,
    userId: process.getuid?.(),
    exists: existsSync,
    isProgram,
    list: (folder) => (existsSync(folder) ? readdirSync(folder) : []),
    run(program, programArguments, env = {}) {
      const ran = spawnSync(program, programArguments, {
        encoding: "utf8",
        env: { ...process.env, ...env },
        maxBuffer: 64 * 1024 * 1024,
        stdio: ["ignore", "pipe", "pipe"],
      });
      const output = `${ran.stdout ?? ""}${ran.stderr ?? ""}${ran.error?.message ?? ""}`;
      return { succeeded: ran.status === 0, output };
    },
  };
}

/** @param {string} path */
function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
