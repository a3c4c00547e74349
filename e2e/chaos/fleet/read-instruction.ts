import { createInterface } from "node:readline";

/**
 * What the rig tells this process to do, as its first line. After that the process listens on, and ends when the rig does:
 * then nobody has a use for it.
 */
export function readInstruction(): Promise<unknown> {
  process.stdin.on("end", () => process.exit(0));
  return new Promise((resolve) => {
    createInterface({ input: process.stdin }).once("line", (line) => resolve(JSON.parse(line)));
  });
}
