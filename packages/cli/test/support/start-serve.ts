import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { type Place, spawnCli } from "./run-cli.ts";

export interface Served {
  readonly url: string;
  /** What it said it started. */
  readonly started: { readonly url: string; readonly agents: readonly string[]; readonly [key: string]: unknown };
  readonly process: ChildProcess;
  /** What it wrote to standard error so far. */
  warnings(): string;
  /** Asks it to end, and waits. Answers its exit code. */
  stop(signal?: "SIGTERM" | "SIGINT" | "SIGKILL"): Promise<number | null>;
}

/** Serves the demonstration as a process of its own, on any free port. */
export async function startServe(place: Place, ...words: readonly string[]): Promise<Served> {
  const child = spawnCli(["serve", "--demo", "--json", "--http-addr", "127.0.0.1:0", ...words], place);
  const ended = once(child, "exit");
  let warnings = "";
  child.stderr?.on("data", (chunk) => {
    warnings += String(chunk);
  });
  if (child.stdout === null) throw new Error("There is no output.");
  const line = await Promise.race([
    once(createInterface(child.stdout), "line").then(([first]) => String(first)),
    ended.then(([code]) => Promise.reject(new Error(`serve ended with ${code}: ${warnings}`))),
  ]);
  const started: Served["started"] = JSON.parse(line);
  return {
    url: started.url,
    started,
    process: child,
    warnings: () => warnings,
    async stop(signal = "SIGTERM") {
      child.kill(signal);
      const [code] = await ended;
      return code;
    },
  };
}
