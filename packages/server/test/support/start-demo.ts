import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";

export interface DemoServer {
  readonly url: string;
  readonly process: ChildProcess;
  /** Asks it to end, and waits. Answers its exit code. */
  stop(): Promise<number | null>;
  /** Ends it without a word. */
  kill(): Promise<void>;
}

/** Starts the demo server as a process of its own, on a SQLite file or a Postgres database. */
export async function startDemo(place: string): Promise<DemoServer> {
  const program = join(import.meta.dirname, "serve-demo.ts");
  const child = spawn(process.execPath, ["--conditions=reprise-source", program, place], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
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
    stop: () => end("SIGTERM"),
    kill: async () => void (await end("SIGKILL")),
  };
}
