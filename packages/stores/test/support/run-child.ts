import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

/** A child process that says one line at a time. */
export interface Child {
  readonly process: ChildProcess;
  /** The lines it said, as far as it came. */
  readonly lines: AsyncIterableIterator<string>;
  readonly exited: Promise<number | null>;
}

/** Runs a script of `test/children` from source. It is killed with the test. */
export function runChild(script: string, ...parameters: readonly string[]): Child {
  const path = fileURLToPath(new URL(`../children/${script}`, import.meta.url));
  const child = spawn(process.execPath, ["--conditions=reprise-source", path, ...parameters], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
  return { process: child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator](), exited };
}

/** The next line a child says. */
export async function nextLine({ lines }: Child): Promise<string> {
  const { value, done } = await lines.next();
  if (done === true) throw new Error("The child ended without another word.");
  return value;
}
