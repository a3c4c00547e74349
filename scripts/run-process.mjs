import { spawn } from "node:child_process";
import { constants } from "node:os";

/** @typedef {{ cwd?: string, env?: NodeJS.ProcessEnv }} Surroundings */

/** How often to look whether the process that started this one is still there. */
const PARENT_CHECK_MS = 250;

/**
 * Runs a program on the user's terminal, passes signals on to it and answers its exit code.
 * npm starts scripts through a shell, which ends by a signal without passing it on: then the program is asked to end too.
 * A program ended by a signal answers 128 + the signal's number, as shells do.
 *
 * @param {string} program
 * @param {readonly string[]} programArguments
 * @param {Surroundings} [surroundings]
 * @returns {Promise<number>}
 */
export function runInForeground(program, programArguments, surroundings = {}) {
  const child = spawn(program, programArguments, { ...surroundings, stdio: "inherit" });
  /** @param {NodeJS.Signals} signal */
  const pass = (signal) => {
    // On a terminal Ctrl-C has already reached the child, and a second one means "at once" to many programs.
    if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
  };
  const signals = /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"]);
  for (const signal of signals) process.on(signal, pass);
  const parent = process.ppid;
  const following = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(following);
    child.kill("SIGTERM");
  }, PARENT_CHECK_MS);

  return new Promise((resolve) => {
    /** @param {number} code */
    const finish = (code) => {
      for (const signal of signals) process.off(signal, pass);
      clearInterval(following);
      resolve(code);
    };
    child.on("error", (error) => {
      console.error(`Cannot run ${program}: ${error.message}`);
      finish(127);
    });
    child.on("close", (code, signal) => finish(exitCode(code, signal)));
  });
}

/**
 * Runs a program out of sight and answers what it printed; `output` has both streams as they came.
 *
 * @param {string} program
 * @param {readonly string[]} programArguments
 * @param {Surroundings & { timeoutMs?: number, input?: string | undefined }} [surroundings] no input: an empty one
 * @returns {Promise<{ code: number, stdout: string, stderr: string, output: string }>}
 */
export function runCaptured(program, programArguments, { timeoutMs, input = "", ...surroundings } = {}) {
  const limit = timeoutMs === undefined ? {} : { timeout: timeoutMs };
  const child = spawn(program, programArguments, { ...surroundings, ...limit, stdio: "pipe" });
  // A program may end without reading its input; that is its own business.
  child.stdin.on("error", () => {}).end(input);
  const printed = { stdout: "", stderr: "", output: "" };
  for (const stream of /** @type {const} */ (["stdout", "stderr"])) {
    child[stream].setEncoding("utf8").on("data", (text) => {
      printed[stream] += text;
      printed.output += text;
    });
  }
  return new Promise((resolve) => {
    child.on("error", (error) => resolve({ code: 127, ...printed, output: `Cannot run ${program}: ${error.message}` }));
    child.on("close", (code, signal) => {
      if (signal !== null) printed.output += `\n(ended by ${signal})`;
      resolve({ code: exitCode(code, signal), ...printed });
    });
  });
}

/**
 * @param {number | null} code
 * @param {NodeJS.Signals | null} signal
 */
function exitCode(code, signal) {
  return signal === null ? (code ?? 1) : 128 + constants.signals[signal];
}
