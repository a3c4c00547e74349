import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { ROOT } from "../../../scripts/repository.mjs";

export interface StartOptions {
  /** Where threads are kept, and the home folder of the process. */
  readonly folder: string;
  /** A free one unless it is given. */
  readonly port?: number;
  readonly env?: Readonly<Record<string, string>>;
}

export interface StartedServer {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** `kill -9`: the process has no chance to say or store anything. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts what `npm start` starts, the way it does. */
export async function startServer({ folder, port = 0, env = {} }: StartOptions): Promise<StartedServer> {
  const words = [
    "scripts/bootstrap.mjs",
    "start",
    "--json",
    "--http-addr",
    `127.0.0.1:${port}`,
    "--storage-dir",
    folder,
  ];
  const child = spawn(process.execPath, words, {
    cwd: ROOT,
    // Nothing else of the environment gets through, least of all a key. The slow task takes six seconds: time enough to do something
    // during its run, also on a busy machine.
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      HOME: folder,
      REPRISE_DEMO_PACE: "2",
      ...env,
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  const started = await Promise.race([
    readStarted(createInterface(child.stdout)),
    ended.then(([code]) => Promise.reject(new Error(`The server ended with ${code}.`))),
  ]);
  const { url, pid } = started;
  return {
    url,
    pid,
    port: Number(new URL(url).port),
    async kill() {
      process.kill(pid, "SIGKILL");
      await ended;
    },
    async stop() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

/** The line that says where it listens. The first start after a change of dependencies says before it that it installs them. */
async function readStarted(lines: AsyncIterable<string>): Promise<{ readonly url: string; readonly pid: number }> {
  for await (const line of lines) if (line.startsWith("{")) return JSON.parse(line);
  throw new Error("The server did not say where it listens.");
}
