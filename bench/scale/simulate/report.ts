import { calibrate } from "./calibrate.ts";
import { type RunCosts, simulate } from "./deployment.ts";
import type { Measured } from "./measured-points.ts";

/** How busy a worker or a database is to be at its peak: the rest is for takeovers, backups and bad hours. */
const USE = 0.6;

/** The busiest second of a day has so many times the runs of an average one. */
const PEAK = 4;

const DAY_S = 86_400;

const round = (value: number): string => Math.round(value).toLocaleString("en");

const percent = (share: number): string => `${(100 * share).toFixed(0)} %`;

/** Checks the simulation against what was measured, and then says what follows from it. Throws when it does not fit. */
export function reportSimulation(measured: Measured): string {
  const { costs, madeFrom, checks } = calibrate(measured);
  const lines: string[] = [];
  const print = (text: string): void => void lines.push(text);

  print(
    `Costs found: a commit takes the database ${costs.commitMs.toFixed(2)} ms of CPU; a trip takes ${costs.tripMs.toFixed(2)} ms, a flush ${costs.flushMs} ms.`,
  );
  print(
    "\n| point | median runs/s | least–most | simulated | from the median | outside by | |\n| --- | ---: | ---: | ---: | ---: | ---: | --- |",
  );
  for (const { point, predicted, error, fromMedian } of checks) {
    const use = madeFrom.includes(point) ? "costs are made from it" : "check";
    print(
      `| ${point.name} | ${round(point.runsPerSecond)} | ${point.range.map(round).join("–")} | ${round(predicted)} | ${percent(fromMedian)} | ${percent(error)} | ${use} |`,
    );
  }

  const workerMs = Math.max(
    ...measured.points.filter(({ deployment }) => deployment.runsAtOnce > 1).map((point) => point.workerMs),
  );
  const one = simulate({ workers: 1, runsAtOnce: 20, databases: 1, databaseCores: 4 }, { ...costs, workerMs });
  print(
    `\nOne worker with a core of its own, beside a database with four: ${round(one.runsPerSecond)} runs/s; its core is busy for ${(100 * one.workerUse).toFixed(0)} %.`,
  );

  print(
    "\n| cores of one database | workers that fill it | runs/s | at 60 % | runs a day with a peak of 4x |\n| ---: | ---: | ---: | ---: | ---: |",
  );
  const sustained = new Map<number, number>();
  for (const databaseCores of [2, 4, 8, 16]) {
    const filled = fill(databaseCores, { ...costs, workerMs });
    const atUse = filled.runsPerSecond * USE;
    sustained.set(databaseCores, atUse);
    print(
      `| ${databaseCores} | ${filled.workers} | ${round(filled.runsPerSecond)} | ${round(atUse)} | ${round((atUse / PEAK) * DAY_S)} |`,
    );
  }

  print(
    "\n| runs a day | at the peak, runs/s | workers with a core each | databases of 4 cores | of 16 |\n| ---: | ---: | ---: | ---: | ---: |",
  );
  for (const perDay of [100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000]) {
    const peak = (perDay / DAY_S) * PEAK;
    const workers = Math.ceil(peak / (one.runsPerSecond * USE));
    const [four, sixteen] = [4, 16].map((cores) => Math.ceil(peak / (sustained.get(cores) ?? 1)));
    print(
      `| ${round(perDay)} | ${peak < 10 ? peak.toFixed(1) : round(peak)} | ${round(workers)} | ${round(four ?? 0)} | ${round(sixteen ?? 0)} |`,
    );
  }
  return lines.join("\n");
}

/** As many workers as still add something. */
function fill(databaseCores: number, costs: RunCosts): { readonly workers: number; readonly runsPerSecond: number } {
  let best = { workers: 0, runsPerSecond: 0 };
  for (let workers = 1; ; workers += 1) {
    const { runsPerSecond } = simulate({ workers, runsAtOnce: 20, databases: 1, databaseCores }, costs);
    if (runsPerSecond < best.runsPerSecond * 1.02) return best;
    best = { workers, runsPerSecond };
  }
}
