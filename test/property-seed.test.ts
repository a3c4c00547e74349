import { expect, it } from "vitest";
import { chooseSeed } from "../scripts/property-seed.mjs";

it("takes the seed that is asked for, and refuses what is none", () => {
  expect(chooseSeed({ REPRISE_SEED: "17", CI: "true" })).toBe(17);
  expect(() => chooseSeed({ REPRISE_SEED: "x" })).toThrow("a whole number of at most 32 bits");
  expect(() => chooseSeed({ REPRISE_SEED: "9999999999" })).toThrow("at most 32 bits");
});

it("judges a commit by the same seed every time where CI is set", () => {
  const seed = chooseSeed({ CI: "true" });
  expect(chooseSeed({ CI: "true" })).toBe(seed);
  expect(seed).toBe(seed | 0);
});

it("takes a fresh one otherwise", () => {
  const seeds = new Set(Array.from({ length: 20 }, () => chooseSeed({})));
  expect(seeds.size).toBeGreaterThan(1);
});
