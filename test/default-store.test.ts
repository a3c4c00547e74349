import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { createRuntime, defineAgent, scriptedModel } from "reprise";
import { describe, expect, it } from "vitest";
import { ROOT } from "../scripts/repository.mjs";

const REFUSED = "a-test-must-name-its-store";

describe("issue 14.2: tests never touch the working folder's store", () => {
  it("a runtime without a store is refused in a test", async () => {
    const agents = [defineAgent({ id: "clerk", model: scriptedModel(["done"]) })];
    await expect(createRuntime({ agents })).rejects.toThrow(REFUSED);
  });

  it("and so is a process that a test starts in the working folder", async () => {
    const program = join(ROOT, "packages/cli/src/main.ts");
    const words = ["--conditions=reprise-source", program, "run", "default", "hello", "--demo"];
    const attempt = promisify(execFile)(process.execPath, words, { cwd: ROOT });
    await expect(attempt).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining(REFUSED) });
  });
});
