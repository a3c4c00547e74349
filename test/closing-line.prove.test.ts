import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "../scripts/repository.mjs";
import { runFixture } from "./support/vitest-fixture.ts";

const PASSING = `it("adds", () => expect(1 + 1).toBe(2));`;
const GAPS = `describe("later", () => { it.skip("subtracts", () => {}); it.todo("divides"); });`;

describe("the closing line", () => {
  it("counts tests and type tests, and comes last", async () => {
    const typeTest = `import { expectTypeOf, test } from "vitest";
      test("sound", () => expectTypeOf<string>().toEqualTypeOf<string>());
      test("unsound", () => expectTypeOf<string>().toEqualTypeOf<number>());`;
    const tsconfig = JSON.stringify({ extends: join(ROOT, "tsconfig.check.json"), include: ["*.test-d.ts"] });
    const run = await runFixture({ "a.test.ts": PASSING, "b.test-d.ts": typeTest, "tsconfig.json": tsconfig });
    expect(run.stdout).toContain("tests: 2 passed, 1 failed, 0 skipped\n");
    expect(run.code).toBe(1);
  });

  it("names skipped tests above itself and lets the run pass", async () => {
    const run = await runFixture({ "a.test.ts": PASSING + GAPS });
    expect(run.stdout).toMatch(
      /\nskipped:\n {2}a\.test\.ts > later > subtracts\n {2}a\.test\.ts > later > divides\ntests: 1 passed, 0 failed, 2 skipped\n$/,
    );
    expect(run.code).toBe(0);
  });

  it("names failed tests above itself, with what they said first", async () => {
    const run = await runFixture({
      "a.test.ts": `${PASSING}it("divides", () => { throw new Error("by zero\\nhere"); });`,
    });
    expect(run.stdout).toMatch(
      /\nfailed:\n {2}a\.test\.ts > divides\n {4}by zero\ntests: 1 passed, 1 failed, 0 skipped\n/,
    );
    expect(run.code).toBe(1);
  });

  it("fails a run with skipped tests where CI is set", async () => {
    const run = await runFixture({ "a.test.ts": PASSING + GAPS }, { env: { CI: "true" } });
    expect(run.stdout).toContain("skipped tests fail the run where CI is set\n");
    expect(run.lastLine).toBe("tests: 1 passed, 0 failed, 2 skipped");
    expect(run.code).toBe(1);
  });

  it("fails a run that executed nothing", async () => {
    const run = await runFixture({ "a.test.ts": PASSING }, { vitestArguments: ["-t", "no such name"] });
    expect(run.lastLine).toBe("tests: 0 passed, 0 failed, 1 skipped");
    expect(run.code).toBe(1);
  });

  it("fails a run without any test file", async () => {
    const run = await runFixture({});
    expect(run.stdout).toContain("tests: 0 passed, 0 failed, 0 skipped\n");
    expect(run.code).toBe(1);
  });

  it("counts a file that does not load and a hook that throws as failures", async () => {
    const hook = `describe("suite", () => { beforeAll(() => { throw new Error("no"); }); it("never runs", () => {}); });`;
    const run = await runFixture({ "a.test.ts": PASSING, "b.test.ts": `throw new Error("no");`, "c.test.ts": hook });
    expect(run.stdout).toMatch(/^tests: 1 passed, 2 failed, 1 skipped$/m);
    expect(run.code).toBe(1);
  });
});
