import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isContinuousIntegration } from "../scripts/continuous-integration.mjs";
import { ROOT } from "../scripts/repository.mjs";
import { runCaptured } from "../scripts/run-process.mjs";
import { createTemporaryFolder } from "./support/temporary-folder.ts";

const SOUND = "tests: 12 passed, 0 failed, 0 skipped";

/** Runs `.ci/run` with an npm that prints and answers what it is told, and notes how it was called. */
async function runGate(npm: { test: string; testCode?: number; verifyCode?: number }) {
  const project = createTemporaryFolder({
    "bin/npm": `#!/bin/sh
echo "$* CI=$CI input=$(cat | wc -c)" >> "$CALLS"
case "$1" in
  test) printf '%s\\n' "$TEST_OUTPUT"; exit ${npm.testCode ?? 0} ;;
  *) echo "verify output"; exit ${npm.verifyCode ?? 0} ;;
esac
`,
    "npm-calls.txt": "",
  });
  cpSync(join(ROOT, ".ci"), join(project, ".ci"), { recursive: true });
  const calls = join(project, "npm-calls.txt");
  const { code, stdout, output } = await runCaptured(join(project, ".ci/run"), [], {
    cwd: "/",
    env: { PATH: `${join(project, "bin")}:/usr/bin:/bin`, TEST_OUTPUT: npm.test, CALLS: calls },
  });
  const lastLine = stdout.trimEnd().split("\n").at(-1);
  return { code, output, lastLine, calls: readFileSync(calls, "utf8").trim().split("\n") };
}

describe(".ci/run", () => {
  it("runs the tests, then the rest, and closes with the runner's line", async () => {
    const run = await runGate({ test: `${SOUND}\nafterword` });
    expect(run.calls).toEqual(["test CI=true input=0", "run verify -- --skip test CI=true input=0"]);
    expect(run.output).toContain("verify output");
    expect(run.lastLine).toBe(SOUND);
    expect(run.code).toBe(0);
  });

  it("keeps the exit code of failing tests and goes no further", async () => {
    const line = "tests: 11 passed, 1 failed, 0 skipped";
    const run = await runGate({ test: line, testCode: 9 });
    expect(run.calls).toHaveLength(1);
    expect(run.lastLine).toBe(line);
    expect(run.code).toBe(9);
  });

  it("fails when the rest fails, with the line still last", async () => {
    const run = await runGate({ test: SOUND, verifyCode: 5 });
    expect(run.lastLine).toBe(SOUND);
    expect(run.code).toBe(5);
  });

  it.each([
    "tests: 11 passed, 0 failed, 1 skipped",
    "tests: 0 passed, 0 failed, 0 skipped",
    "tests: 1 passed, 1 failed, 0 skipped",
  ])("does not believe a runner that calls this a pass: %s", async (line) => {
    const run = await runGate({ test: line });
    expect(run.lastLine).toBe(line);
    expect(run.code).toBe(1);
  });

  it("fails when there is no closing line", async () => {
    const run = await runGate({ test: "All good, trust me: tests: 1 passed, 0 failed, 0 skipped" });
    expect(run.output).toContain("without their closing line");
    expect(run.code).toBe(1);
  });

  it("believes the last closing line, not one inside the output", async () => {
    const run = await runGate({ test: `tests: 1 passed, 0 failed, 5 skipped\n${SOUND}` });
    expect(run.lastLine).toBe(SOUND);
    expect(run.code).toBe(0);
  });
});

it("knows where nobody is watching", () => {
  expect(["true", "1", "yes"].map((CI) => isContinuousIntegration({ CI }))).toEqual([true, true, true]);
  expect([undefined, "", "0", "false"].map((CI) => isContinuousIntegration({ CI }))).toEqual(Array(4).fill(false));
});
