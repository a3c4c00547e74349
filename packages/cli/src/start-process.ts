import { enableCompileCache } from "node:module";

/** Makes a command line of this process: does what the words say, and leaves its exit code. */
export async function startProcess(words: readonly string[]): Promise<void> {
  // Half of the time a short command takes is compiling. What is loaded from here on is compiled once for all of them.
  enableCompileCache();
  // Who reads only the beginning of what we write, as `head` does, has what they wanted.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit();
    throw error;
  });
  const { runCommandLine } = await import("./run-command-line.ts");
  process.exitCode = await runCommandLine(words, { out: process.stdout, error: process.stderr });
}
