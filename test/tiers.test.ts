import { matchesGlob } from "node:path";
import { describe, expect, it } from "vitest";
import { listFiles, ROOT } from "../scripts/repository.mjs";
import { chooseTier, selectTier, tierOf } from "../scripts/tiers.mjs";

const GLOBS = [
  "packages/*/src/**/*.test.ts",
  "packages/*/test/**/*.test.ts",
  "apps/*/src/**/*.test.ts",
  "test/**/*.test.ts",
  "e2e/**/*.test.ts",
];

/** The test files of the repository that a tier runs. */
function filesOf(tier: "test" | "prove" | "all"): readonly string[] {
  const { include, exclude } = selectTier(tier, GLOBS);
  const matches = (file: string) => (glob: string) => matchesGlob(file, glob);
  return listFiles(ROOT).filter((file) => include.some(matches(file)) && !exclude.some(matches(file)));
}

describe("the tiers of the tests", () => {
  it("have every test file of the repository in exactly one of them", () => {
    const tests = listFiles(ROOT).filter((file) => tierOf(file) !== undefined && !file.startsWith("bench/"));
    expect([...filesOf("test"), ...filesOf("prove")].toSorted()).toEqual(tests.toSorted());
    expect(filesOf("all")).toEqual(tests);
  });

  it("are told by the name of a file", () => {
    expect(tierOf("e2e/chaos/planted-bugs.prove.test.ts")).toBe("prove");
    expect(tierOf("packages/state/src/prove.test.ts")).toBe("test");
    expect(tierOf("packages/state/src/prove.ts")).toBeUndefined();
    for (const tier of ["test", "prove"] as const) {
      expect(filesOf(tier).length).toBeGreaterThan(0);
      for (const file of filesOf(tier)) expect(tierOf(file)).toBe(tier);
    }
  });

  it("are the short one unless another one is asked for, and nothing else", () => {
    expect(chooseTier({})).toBe("test");
    expect(chooseTier({ REPRISE_TIER: "prove" })).toBe("prove");
    expect(() => chooseTier({ REPRISE_TIER: "porve" })).toThrow('it is "porve"');
  });
});
