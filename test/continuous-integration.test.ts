import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isContinuousIntegration } from "../scripts/continuous-integration.mjs";
import { ROOT } from "../scripts/repository.mjs";
import { runCaptured } from "../scripts/run-process.mjs";
import { createTemporaryFolder } from "./support/temporary-folder.ts";

const SOUND = "tests: 12 passed, 0 failed, 0 skipped";
const PROVEN = "tests: 30 passed, 0 failed, 0 skipped";
const SUM = "tests: 42 passed, 0 failed, 0 skipped";

const TEST = "test CI=true input=0";
const PROVE = "run prove CI=true input=0";
const REST = "run verify -- --skip test --skip prove CI=true input=0";

interface FakeNpm {
  readonly test?: string;
  readonly testCode?: number;
  readonly prove?: string;
  readonly proveCode?: number;
  readonly verifyCode?: number;
}

/** Runs `.ci/run` with an npm that prints and answers what it is told, and notes how it was called. */
async function runGate({ test = SOUND, testCode = 0, prove = PROVEN, proveCode = 0, verifyCode = 0 }: FakeNpm) {
  const project = createTemporaryFolder({
    "bin/npm": `#!/bin/sh
echo "$* CI=$CI input=$(cat | wc -c)" >> "$CALLS"
case "$*" in
  test) printf '%s\\n' "$TEST_OUTPUT"; exit ${testCode} ;;
  "run prove") printf '%s\\n' "$PROVE_OUTPUT"; exit ${proveCode} ;;
  *) echo "verify output"; exit ${verifyCode} ;;
esac
`,
    "npm-calls.txt": "",
  });
  cpSync(join(ROOT, ".ci"), join(project, ".ci"), { recursive: true });
  const calls = join(project, "npm-calls.txt");
  const { code, stdout, output } = await runCaptured(join(project, ".ci/run"), [], {
    cwd: "/",
    env: { PATH: `${join(project, "bin")}:/usr/bin:/bin`, TEST_OUTPUT: test, PROVE_OUTPUT: prove, CALLS: calls },
  });
  const lastLine = stdout.trimEnd().split("\n").at(-1);
  return { code, output, lastLine, calls: readFileSync(calls, "utf8").trim().split("\n") };
}

describe(".ci/run", () => {
  it("runs both tiers of tests, then the rest, and closes with the sum of both", async () => {
    const run = await runGate({ test: `${SOUND}\nafterword` });
    expect(run.calls).toEqual([TEST, PROVE, REST]);
    expect(run.output).toContain("verify output");
    expect(run.lastLine).toBe(SUM);
    expect(run.code).toBe(0);
  });

  it("keeps the exit code of failing tests and goes no further", async () => {
    const line = "tests: 11 passed, 1 failed, 0 skipped";
    const run = await runGate({ test: line, testCode: 9 });
    expect(run.calls).toEqual([TEST]);
    expect(run.lastLine).toBe(line);
    expect(run.code).toBe(9);
  });

  it("keeps the exit code of a failing second tier, goes no further and counts its failures", async () => {
    const run = await runGate({ prove: "tests: 28 passed, 2 failed, 0 skipped", proveCode: 7 });
    expect(run.calls).toEqual([TEST, PROVE]);
    expect(run.lastLine).toBe("tests: 40 passed, 2 failed, 0 skipped");
    expect(run.code).toBe(7);
  });

  it("fails when the rest fails, with the line still last", async () => {
    const run = await runGate({ verifyCode: 5 });
    expect(run.lastLine).toBe(SUM);
    expect(run.code).toBe(5);
  });

  describe.each(["test", "prove"] as const)("with a doubtful answer of the tier %s", (tier) => {
    it.each([
      "tests: 11 passed, 0 failed, 1 skipped",
      "tests: 0 passed, 0 failed, 0 skipped",
      "tests: 1 passed, 1 failed, 0 skipped",
    ])("does not believe a runner that calls this a pass: %s", async (line) => {
      const run = await runGate({ [tier]: line });
      expect(run.calls).not.toContain(REST);
      expect(run.lastLine).toMatch(/^tests: \d+ passed, \d+ failed, \d+ skipped$/);
      expect(run.code).toBe(1);
    });

    it("fails when there is no closing line", async () => {
      const run = await runGate({ [tier]: "All good, trust me: tests: 1 passed, 0 failed, 0 skipped" });
      expect(run.output).toContain("without its closing line");
      expect(run.calls).not.toContain(REST);
      expect(run.code).toBe(1);
    });

    it("believes the last closing line, not one inside the output", async () => {
      const own = tier === "test" ? SOUND : PROVEN;
      const run = await runGate({ [tier]: `tests: 1 passed, 0 failed, 5 skipped\n${own}` });
      expect(run.lastLine).toBe(SUM);
      expect(run.code).toBe(0);
    });
  });
});

it("knows where nobody is watching", () => {
  expect(["true", "1", "yes"].map((CI) => isContinuousIntegration({ CI }))).toEqual([true, true, true]);
  expect([undefined, "", "0", "false"].map((CI) => isContinuousIntegration({ CI }))).toEqual(Array(4).fill(false));
});
