import { expect, it } from "vitest";
import { createSeededRandom } from "./seeded-random.ts";

const draw = (seed: string): readonly number[] => {
  const random = createSeededRandom(seed);
  return Array.from({ length: 20 }, () => random.between(1, 1_000));
};

it("gives the same numbers for the same seed, and others for another", () => {
  expect(draw("a")).toEqual(draw("a"));
  expect(draw("a")).not.toEqual(draw("b"));
});

it("gives a branch numbers that do not depend on what was drawn elsewhere", () => {
  const one = createSeededRandom("a");
  one.next();
  expect(one.branch("x").next()).toBe(createSeededRandom("a").branch("x").next());
});

it("picks by weight and stays in its bounds", () => {
  const random = createSeededRandom("weights");
  const picked = Array.from({ length: 2_000 }, () => random.pickWeighted({ rare: 1, often: 9, never: 0 }));
  const rare = picked.filter((name) => name === "rare").length;
  expect(picked).not.toContain("never");
  expect(rare).toBeGreaterThan(100);
  expect(rare).toBeLessThan(320);
});
