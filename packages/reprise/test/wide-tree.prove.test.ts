import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { createTemporaryFolder } from "../../../test/support/temporary-folder.ts";

const PROGRAM = join(import.meta.dirname, "children/wide-tree.ts");
const CHILDREN = 100;
/** What the old generation of the process may hold, the program itself included. One that needs more dies. */
const HEAP_MB = 64;

it.each([1, 100])(
  "100 tasks of one agent on SQLite all end, in a heap of 64 MB, with slots for %d runs",
  {
    timeout: 300_000,
  },
  async (slots) => {
    const file = join(createTemporaryFolder(), "app.db");
    const flags = ["--conditions=reprise-source", "--disable-warning=ExperimentalWarning"];
    const command = [...flags, `--max-old-space-size=${HEAP_MB}`, PROGRAM, file, String(CHILDREN), String(slots)];
    const { stdout } = await promisify(execFile)(process.execPath, command);
    const printed = stdout.split("\n").findLast((line) => line.startsWith("{")) ?? "";
    expect(JSON.parse(printed)).toEqual({
      text: String(CHILDREN),
      total: CHILDREN,
      threads: CHILDREN,
      runs: CHILDREN + 1,
    });
  },
);
