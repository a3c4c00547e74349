import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { calibrate } from "../bench/scale/simulate/calibrate.ts";
import { simulate } from "../bench/scale/simulate/deployment.ts";
import { readMeasured } from "../bench/scale/simulate/measured-points.ts";
import { reportSimulation } from "../bench/scale/simulate/report.ts";

const measured = readMeasured();

it("the simulation of deployments fits every recorded measurement", () => {
  const { checks, madeFrom } = calibrate(measured);
  expect(madeFrom).toHaveLength(3);
  expect(checks.filter(({ point }) => !madeFrom.includes(point)).length).toBeGreaterThan(0);
  for (const { error } of checks) expect(Math.abs(error)).toBeLessThan(0.1);
  // What was not fitted says how good a prediction is, and the page has to say the same.
  const page = readFileSync(new URL("../docs/explanation/scaling.md", import.meta.url), "utf8");
  for (const { point, fromMedian } of checks) {
    if (madeFrom.includes(point)) expect(Math.abs(fromMedian)).toBeLessThan(0.1);
    else expect(page).toContain(`promises ${(100 * fromMedian).toFixed(0)} % more\nthere than the median`);
  }
});

it.each([
  ["a second worker made it slower", "2 workers", 0.3],
  ["one process did three times as much", "1 process, 20 at a time", 3],
])("the simulation refuses to conclude anything when %s", (_, name, factor) => {
  const points = measured.points.map((point) => {
    if (!point.name.startsWith(name)) return point;
    const [least, most] = point.range;
    return { ...point, runsPerSecond: point.runsPerSecond * factor, range: [least * factor, most * factor] as const };
  });
  expect(() => reportSimulation({ ...measured, points })).toThrow(/does not fit what was measured.*runs\/s/);
});

it("the simulation refuses to conclude anything from samples so far apart that everything lies between them", () => {
  const points = measured.points.map((point) =>
    point.name === "1 process, 20 at a time" ? { ...point, runsPerSecond: 500, range: [100, 2_000] as const } : point,
  );
  expect(() => reportSimulation({ ...measured, points })).toThrow(/instead of 500 runs\/s/);
});

it("the simulation is the same each time, and keeps to its bounds", () => {
  const costs = { workerMs: 1, commitMs: 0.25, tripMs: 0.5, flushMs: 0.1 };
  const one = simulate({ workers: 1, runsAtOnce: 20, databases: 1, databaseCores: 4 }, costs);
  expect(simulate({ workers: 1, runsAtOnce: 20, databases: 1, databaseCores: 4 }, costs)).toEqual(one);
  // A worker has one core, and a database those it has.
  expect(one.runsPerSecond).toBeLessThanOrEqual(1_001);
  expect(one.runsPerSecond).toBeGreaterThan(900);
  const full = simulate({ workers: 12, runsAtOnce: 20, databases: 1, databaseCores: 2 }, costs);
  expect(full.runsPerSecond).toBeLessThanOrEqual(2_001);
  expect(full.databaseUse).toBeGreaterThan(0.97);
  const spread = simulate({ workers: 12, runsAtOnce: 20, databases: 2, databaseCores: 2 }, costs);
  expect(spread.runsPerSecond).toBeGreaterThan(1.9 * full.runsPerSecond);
  // One run at a time takes its work and four trips.
  const alone = simulate({ workers: 1, runsAtOnce: 1, databases: 1, databaseCores: 1 }, costs);
  expect(alone.meanRunMs).toBeCloseTo(1 + 4 * (0.25 + 0.5 + 0.1), 6);
});

it("the page on scaling says what the simulation says", () => {
  const page = readFileSync(new URL("../docs/explanation/scaling.md", import.meta.url), "utf8");
  for (const block of reportSimulation(measured).split("\n\n")) expect(page).toContain(block);
});
