import { spawn } from "node:child_process";

/** More than this of an answer is not read. */
export const MAX_ANSWER_BYTES = 65_536;

export interface CommandCall {
  readonly command: readonly string[];
  /** Names of variables that the command gets beside `PATH`, `LANG`, `LC_ALL`, `TZ` and `HOME`. */
  readonly environment: readonly string[];
  readonly input: string;
  readonly signal: AbortSignal;
}

/** Starts a program without a shell, gives it a text to read, and returns what it writes. Rejects when it does not end well. */
export async function runCommand({ command, environment, input, signal }: CommandCall): Promise<string> {
  const [program = "", ...argv] = command;
  const child = spawn(program, argv, {
    // In a group of its own, so that whatever it starts can be ended with it.
    detached: true,
    env: environmentFor(environment),
    stdio: ["pipe", "pipe", "ignore"],
  });
  const ended = Promise.withResolvers<number | null>();
  const kill = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    } catch {
      // The group is gone.
    }
  };
  const pieces: Buffer[] = [];
  let size = 0;
  child.stdout.on("data", (piece: Buffer) => {
    size += piece.length;
    if (size <= MAX_ANSWER_BYTES) pieces.push(piece);
    else kill();
  });
  child.once("error", ended.reject);
  child.once("close", ended.resolve);
  // A program need not read its input.
  child.stdin.on("error", () => undefined);
  child.stdin.end(input);
  signal.addEventListener("abort", kill, { once: true });
  if (signal.aborted) kill();
  try {
    const code = await ended.promise;
    if (signal.aborted) throw new Error("it took too long");
    if (size > MAX_ANSWER_BYTES) throw new Error(`it wrote more than ${MAX_ANSWER_BYTES} bytes`);
    if (code !== 0) throw new Error(code === null ? "it was killed" : `it ended with exit code ${code}`);
    return Buffer.concat(pieces).toString("utf8");
  } finally {
    signal.removeEventListener("abort", kill);
    kill();
  }
}

/** Nothing of the server's environment but what is named: a hook is not to see keys of providers. */
function environmentFor(names: readonly string[]): Record<string, string> {
  const kept = ["PATH", "LANG", "LC_ALL", "TZ", "HOME", ...names].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(kept);
}
