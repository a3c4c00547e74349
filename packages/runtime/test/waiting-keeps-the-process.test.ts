import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const PROGRAM = fileURLToPath(new URL("./support/wait-for-nobody.ts", import.meta.url));

async function run(waitsFor: string): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, ["--conditions=reprise-source", PROGRAM, waitsFor]);
  return stdout;
}

it.each(["outcome", "events"])(
  "a process that waits for the %s of a run that another one works on stays",
  async (what) => {
    expect(await run(what)).toBe("still here\n");
  },
);

it("a process that waits for nothing ends, whatever is queued", async () => {
  expect(await run("nothing")).toBe("");
});
