import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";

const MAIN = join(import.meta.dirname, "../../src/main.ts");

export interface Place {
  /** The folder it runs in. */
  readonly cwd: string;
  /** Variables; nothing else of the environment but the path gets through. */
  readonly env?: Readonly<Record<string, string>>;
  /** What it reads. */
  readonly input?: string;
}

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts the command line as a process of its own. */
export function spawnCli(words: readonly string[], { cwd, env = {} }: Place): ChildProcess {
  return spawn(process.execPath, ["--conditions=reprise-source", MAIN, ...words], {
    cwd,
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, REPRISE_DEMO_PACE: "0", ...env },
    stdio: ["pipe", "pipe", "pipe"],
  });
}

/** Runs a command to its end. */
export async function runCli(words: readonly string[], place: Place): Promise<Ended> {
  const child = spawnCli(words, place);
  const ended = once(child, "exit");
  // A command that reads nothing may be gone before this is written.
  child.stdin?.on("error", () => undefined);
  child.stdin?.end(place.input ?? "");
  const [stdout, stderr, [code]] = await Promise.all([readAll(child.stdout), readAll(child.stderr), ended]);
  return { code, stdout, stderr };
}

async function readAll(stream: NodeJS.ReadableStream | null): Promise<string> {
  return stream === null ? "" : text(stream);
}

/** The values of an answer, one a line. */
export function linesOf({ stdout }: Ended): readonly unknown[] {
  return stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line): unknown => JSON.parse(line));
}
