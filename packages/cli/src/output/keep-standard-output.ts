import { once } from "node:events";

/** Gives standard output to the protocol alone. Everything else that is written to it goes to standard error. */
export function keepStandardOutput(): (line: string) => void | Promise<void> {
  const { stdout, stderr } = process;
  const writeOut = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr);
  return (line) => {
    if (writeOut(`${line}\n`)) return;
    return once(stdout, "drain").then(() => undefined);
  };
}
