import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { createTemporaryFolder } from "../../../test/support/temporary-folder.ts";

/** Runs a program with a store in a folder of its own. */
async function run(what: string, program = "wait-for-nobody.ts"): Promise<string> {
  const path = fileURLToPath(new URL(`./support/${program}`, import.meta.url));
  const programArguments = ["--conditions=reprise-source", path, what];
  const env = { ...process.env, REPRISE_STORAGE_DIR: createTemporaryFolder() };
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

describe("issue 14.34: a worker without a server", () => {
  it("stays while it has a run at work, and ends once it is closed", async () => {
    expect(await run("run", "stay-for-work.ts")).toBe("still here\n");
  });

  it("stays when it was told to work, and ends once it is closed", async () => {
    expect(await run("work", "stay-for-work.ts")).toBe("still here\nclosed\n");
  });

  it("ends by itself when it has nothing to do", async () => {
    expect(await run("nothing", "stay-for-work.ts")).toBe("");
  });
});
