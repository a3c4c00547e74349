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
  /** How often it said that it started something. */
  starts(): number;
  /** Asks it to end, and waits. Answers its exit code. */
  stop(signal?: "SIGTERM" | "SIGINT" | "SIGKILL"): Promise<number | null>;
}

/** Serves the demonstration as a process of its own, on any free port. */
export function startServe(place: Place, ...words: readonly string[]): Promise<Served> {
  return start(place, ["serve", "--demo", ...words]);
}

/** Serves a module in the same way. */
export function serveModule(place: Place, module: string, ...words: readonly string[]): Promise<Served> {
  return start(place, ["serve", module, ...words]);
}

/** Serves a module and reloads it when it changes. */
export function startDev(place: Place, module: string, ...words: readonly string[]): Promise<Served> {
  return start(place, ["dev", module, ...words]);
}

async function start(place: Place, words: readonly string[]): Promise<Served> {
  const child = spawnCli([...words, "--json", "--http-addr", "127.0.0.1:0"], place);
  const ended = once(child, "exit");
  let warnings = "";
  child.stderr?.on("data", (chunk) => {
    warnings += String(chunk);
  });
  if (child.stdout === null) throw new Error("There is no output.");
  const lines: string[] = [];
  const output = createInterface(child.stdout).on("line", (text) => lines.push(text));
  const line = await Promise.race([
    once(output, "line").then(([first]) => String(first)),
    ended.then(([code]) => Promise.reject(new Error(`serve ended with ${code}: ${warnings}`))),
  ]);
  const started: Served["started"] = JSON.parse(line);
  return {
    url: started.url,
    started,
    process: child,
    warnings: () => warnings,
    starts: () => lines.length,
    async stop(signal = "SIGTERM") {
      child.kill(signal);
      const [code] = await ended;
      return code;
    },
  };
}
