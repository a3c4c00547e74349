import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Measurement } from "./measure.ts";

/** Measures one contestant in a process of its own, where no other code has left its marks on shared built-ins. */
export function measureInChild(contestant: string, flags: readonly string[]): readonly Measurement[] {
  const main = fileURLToPath(new URL("./main.ts", import.meta.url));
  const output = execFileSync(process.execPath, ["--expose-gc", main, "--only", contestant, ...flags], {
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const measurements: unknown = JSON.parse(output);
  // The child is this same program.
  return measurements as readonly Measurement[];
}
