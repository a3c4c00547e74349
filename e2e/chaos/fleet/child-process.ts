import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** A process of the rig. It ends with the rig, whose end closes its standard input. */
export interface RigProcess {
  /** Whether it still lives. */
  readonly isAlive: boolean;
  readonly exited: Promise<void>;
  /** Says a line to it, and waits for the line it answers with; undefined when it is dead. */
  tell(line: string): Promise<string | undefined>;
  signal(name: NodeJS.Signals): void;
}

/** Sources are stripped of their types once, not in every life of every process. */
const COMPILE_CACHE = process.env.NODE_COMPILE_CACHE ?? join(tmpdir(), "reprise-compile-cache");

export interface ProcessOptions {
  /** The script, from the rig's own folder. */
  readonly script: string;
  readonly parameters?: readonly string[];
  /** Where it is to write what it says to standard error. */
  readonly log: string;
  /** A bug that may change sources while they are loaded. */
  readonly plant?: string | undefined;
}

const pathOf = (script: string): string => fileURLToPath(new URL(`../${script}`, import.meta.url));

/** Starts a script of the rig from source. */
export function startProcess({ script, parameters = [], log, plant }: ProcessOptions): RigProcess {
  const planting = plant === undefined ? [] : ["--import", pathOf("plants/change-sources.ts")];
  const errors = openSync(log, "a");
  const child = spawn(process.execPath, ["--conditions=reprise-source", ...planting, pathOf(script), ...parameters], {
    stdio: ["pipe", "pipe", errors],
    env: {
      ...process.env,
      NODE_COMPILE_CACHE: COMPILE_CACHE,
      ...(plant !== undefined && { REPRISE_CHAOS_PLANT: plant }),
    },
  });
  closeSync(errors);
  // One that dies while it is told something is noticed by its exit.
  child.stdin?.on("error", () => {});
  let isAlive = true;
  const exited = new Promise<void>((resolve) => {
    child.once("exit", () => {
      isAlive = false;
      resolve();
    });
  });
  const lines = linesOf(child);
  return {
    get isAlive() {
      return isAlive;
    },
    exited,
    async tell(line) {
      const answered = lines.next();
      child.stdin?.write(`${line}\n`);
      const first = await Promise.race([answered, exited]);
      return typeof first === "object" && first.done !== true ? first.value : undefined;
    },
    signal(name) {
      if (isAlive) child.kill(name);
    },
  };
}

function linesOf({ stdout }: ChildProcess): AsyncIterator<string> {
  if (stdout === null) throw new Error("A process of the rig has no output.");
  return createInterface({ input: stdout })[Symbol.asyncIterator]();
}
