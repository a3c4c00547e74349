import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { ROOT } from "../../../scripts/repository.mjs";

export interface Started {
  readonly url: string;
  /** Ends the program, and waits until it is gone. */
  stop(signal?: "SIGTERM" | "SIGKILL"): Promise<void>;
}

/** Starts a program that says where it listens with its first line that is an address. */
export async function startProgram(
  words: readonly string[],
  cwd: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<Started> {
  const child = spawn(process.execPath, words, {
    cwd,
    env: { ...process.env, NO_COLOR: "1", ...variables },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  for await (const line of createInterface(child.stdout)) {
    const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(line) ?? [];
    if (url === undefined) continue;
    const stop = async (signal: NodeJS.Signals = "SIGTERM"): Promise<void> => {
      child.kill(signal);
      await ended;
    };
    return { url, stop };
  }
  throw new Error(`${words.join(" ")} ended without an address.`);
}

/** The one server of the example pages, on a file. */
export function startBackend(file: string, port: string = "0"): Promise<Started> {
  const program = join(ROOT, "examples/ui-backend/server.ts");
  return startProgram(["--conditions=reprise-source", program, file, port], ROOT);
}

/** Serves the built page of an example, which passes requests to the API on to a server. */
export function servePage(folder: string, vite: string, server: string): Promise<Started> {
  return startProgram([vite, "preview", "--host", "127.0.0.1", "--port", "0"], folder, { REPRISE_URL: server });
}
