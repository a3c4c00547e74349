import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";

export interface DemoServer {
  readonly url: string;
  readonly process: ChildProcess;
  /** Everything it printed so far. */
  said(): { readonly stdout: string; readonly stderr: string };
  /** Asks it to end, and waits. Answers its exit code. */
  stop(): Promise<number | null>;
  /** Ends it without a word. */
  kill(): Promise<void>;
}

export interface StartOptions {
  /** A program beside this file that says where it listens; the demo unless given. */
  readonly program?: string;
  /** Variables for it, beside our own. */
  readonly variables?: Readonly<Record<string, string>>;
  /** It is meant to complain: what it says is not repeated here. */
  readonly isQuiet?: boolean;
}

/** Starts a server as a process of its own, on a SQLite file or a Postgres database. */
export async function startDemo(place: string, options: StartOptions = {}): Promise<DemoServer> {
  const { program = "serve-demo.ts", variables = {}, isQuiet = false } = options;
  const child = spawn(process.execPath, ["--conditions=reprise-source", join(import.meta.dirname, program), place], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...variables },
  });
  const said = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    said.stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said.stderr += text;
    if (!isQuiet) process.stderr.write(text);
  });
  // Not `exit`: what it said last comes after that.
  const ended = once(child, "close");
  const [url] = await Promise.race([
    once(createInterface(child.stdout), "line"),
    ended.then(([code]) => Promise.reject(new Error(`The demo server ended with ${code}.`))),
  ]);
  const end = async (signal: "SIGTERM" | "SIGKILL"): Promise<number | null> => {
    child.kill(signal);
    const [code] = await ended;
    return code;
  };
  return {
    url: String(url),
    process: child,
    said: () => ({ ...said }),
    stop: () => end("SIGTERM"),
    kill: async () => void (await end("SIGKILL")),
  };
}
