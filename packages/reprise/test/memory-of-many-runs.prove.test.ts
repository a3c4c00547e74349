import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { createTemporaryFolder } from "../../../test/support/temporary-folder.ts";

const PROGRAM = join(import.meta.dirname, "children/many-runs.ts");
const ROUNDS = 4;
const PARALLEL = 2_000;
const MEGABYTE = 1_048_576;

interface Held {
  readonly heap: number;
  readonly rss: number;
}

/** How much a process of its own holds after each round. */
async function measure(): Promise<readonly Held[]> {
  const file = join(createTemporaryFolder(), "app.db");
  const flags = ["--expose-gc", "--conditions=reprise-source", "--disable-warning=ExperimentalWarning"];
  const programArguments = [...flags, PROGRAM, file, String(ROUNDS), String(PARALLEL)];
  const { stdout } = await promisify(execFile)(process.execPath, programArguments);
  const lines = stdout.split("\n").filter((line) => line.startsWith('{"heap"'));
  return lines.map((line) => JSON.parse(line));
}

it("issue 14.45: rounds of 2,000 parallel runs on SQLite hold no more memory after the fourth than after the second", {
  timeout: 600_000,
}, async () => {
  const held = await measure();
  expect(held).toHaveLength(ROUNDS);
  const [, second, , fourth] = held;
  // 4,000 runs later: 4 kB that each of them left behind would be 16 MB.
  expect(fourth?.heap).toBeLessThan((second?.heap ?? 0) + 16 * MEGABYTE);
  // V8 grows its young generation to 128 MB and keeps free pages; what is beyond that is held by somebody.
  expect(fourth?.rss).toBeLessThan((second?.rss ?? 0) + 128 * MEGABYTE);
});
