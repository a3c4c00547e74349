import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { createTemporaryFolder } from "../../../test/support/temporary-folder.ts";

const PROGRAM = join(import.meta.dirname, "children/approve-elsewhere.ts");

async function run(file: string, what: string): Promise<unknown> {
  const flags = ["--conditions=reprise-source", "--disable-warning=ExperimentalWarning"];
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, PROGRAM, file, what]);
  return JSON.parse(stdout);
}

it("issue 14.22: a scripted model continues its script in the process that approves, and in the thread's next run", async () => {
  const file = join(createTemporaryFolder(), "app.db");
  expect(await run(file, "start")).toMatchObject([{ status: "waiting" }]);
  expect(await run(file, "approve")).toMatchObject([
    { status: "done", text: "Done." },
    { status: "done", text: "And more." },
  ]);
});
