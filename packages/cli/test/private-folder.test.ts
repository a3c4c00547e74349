import { chmodSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createTemporaryFolder } from "../../../test/support/temporary-folder.ts";
import { runCli } from "./support/run-cli.ts";

const mode = (path: string): string => (statSync(path).mode & 0o777).toString(8);

describe("issue 14.40: the folder of the command line's store", () => {
  it("is made for its owner alone, with everything in it", async () => {
    const cwd = createTemporaryFolder();
    expect(await runCli(["keys", "create"], { cwd })).toMatchObject({ code: 0 });
    const folder = join(cwd, "threads");
    expect(mode(folder)).toBe("700");
    expect(readdirSync(folder).map((name) => mode(join(folder, name)))).toEqual(readdirSync(folder).map(() => "600"));
    const closed = await runCli(["doctor"], { cwd });
    expect(closed.stdout).not.toContain("Other users can read");
    chmodSync(folder, 0o755);
    const open = await runCli(["doctor"], { cwd });
    expect(open.stdout).toContain("warn  folder    Other users can read threads.");
  });
});
