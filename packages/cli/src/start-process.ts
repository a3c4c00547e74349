import { enableCompileCache } from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";

/** Makes a command line of this process: does what the words say, and leaves its exit code. */
export async function startProcess(words: readonly string[]): Promise<void> {
  keepCompiled();
  // Who reads only the beginning of what we write, as `head` does, has what they wanted.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit();
    throw error;
  });
  const { runCommandLine } = await import("./run-command-line.ts");
  process.exitCode = await runCommandLine(words, { out: process.stdout, error: process.stderr });
  // A module may have left open what only it knows of, as a pool of connections. What was written gets out first.
  process.stdout.write("", () => process.stderr.write("", () => process.exit()));
}

/**
 * Half of the time a short command takes is compiling: what is loaded from here on is compiled once for all of them. It is kept
 * where only its user writes, since it is run; where that cannot be, nothing is kept.
 */
function keepCompiled(): void {
  const { NODE_COMPILE_CACHE: given, XDG_CACHE_HOME: caches = join(homedir(), ".cache") } = process.env;
  const { directory } = enableCompileCache(given ?? join(caches, "reprise"));
  // Threads look for it by themselves.
  if (directory !== undefined) process.env.NODE_COMPILE_CACHE ??= join(caches, "reprise");
}
