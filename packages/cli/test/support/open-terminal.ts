import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

const MAIN = join(import.meta.dirname, "../../src/main.ts");

/** Whether there is the `script` of util-linux, which gives a program a terminal of its own. It is part of every Debian. */
export const hasTerminal: boolean = (spawnSync("script", ["--version"], { encoding: "utf8" }).stdout ?? "").includes(
  "util-linux",
);

/** A command line with a person at its terminal. */
export interface Terminal {
  /** Waits until something is shown. */
  until(text: string): Promise<void>;
  /** Presses keys. */
  type(keys: string): void;
  /** The exit code and the signal. */
  readonly ended: Promise<unknown[]>;
}

export function openTerminal(
  cwd: string,
  words: string,
  variables: Readonly<Record<string, string>> = {},
  program: string = MAIN,
): Terminal {
  const command = `stty cols 120 rows 40 && exec ${process.execPath} --conditions=reprise-source ${program} ${words}`;
  const child = spawn("script", ["-qefc", command, "/dev/null"], {
    cwd,
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      TERM: "xterm",
      HOME: cwd,
      ...variables,
    },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  let seen = "";
  return {
    ended,
    type: (keys) => void child.stdin.write(keys),
    async until(text) {
      while (!seen.includes(text)) {
        const [chunk] = await Promise.race([
          once(child.stdout, "data"),
          ended.then(() => Promise.reject(new Error(`It ended before it said ${text}:\n${seen}`))),
        ]);
        seen += String(chunk);
      }
      seen = seen.slice(seen.indexOf(text) + text.length);
    },
  };
}
