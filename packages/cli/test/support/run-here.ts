import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { runCommandLine } from "../../src/run-command-line.ts";
import type { Ended } from "./run-cli.ts";

/** Runs a command in this process: for what ends before anything is opened, and needs no process of its own. */
export async function runHere(...words: readonly string[]): Promise<Ended> {
  const [out, error] = [new PassThrough(), new PassThrough()];
  const [stdout, stderr] = [text(out), text(error)];
  const code = await runCommandLine(words, { out, error });
  out.end();
  error.end();
  return { code, stdout: await stdout, stderr: await stderr };
}
