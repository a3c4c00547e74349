import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { createTemporaryFolder } from "../../../test/support/temporary-folder.ts";

const PROGRAM = fileURLToPath(new URL("./support/wait-for-nobody.ts", import.meta.url));

/** Runs the program with a store in a folder of its own. */
async function run(waitsFor: string): Promise<string> {
  const programArguments = ["--conditions=reprise-source", PROGRAM, waitsFor];
  const env = { ...process.env, AGENTOS_STORAGE_DIR: createTemporaryFolder() };
  const { stdout } = await promisify(execFile)(process.execPath, programArguments, { env });
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
