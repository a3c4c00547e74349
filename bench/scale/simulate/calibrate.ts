import { type RunCosts, simulate } from "./deployment.ts";
import type { Measured, MeasuredPoint } from "./measured-points.ts";

/** How far a prediction may be from what was measured, for the simulation to be used further. Measurements of one build vary by about as much. */
export const TOLERANCE = 0.2;

/** How far it may be from the median of a point's samples, whose range may be wide. A prediction is no better than this. */
export const MEDIAN_TOLERANCE = 0.35;

/** A point, and what the simulation says of it. */
export interface Check {
  readonly point: MeasuredPoint;
  readonly predicted: number;
  /** How far that is outside of what was measured: 0.1 is ten per cent more runs than the most, -0.1 ten less than the least. */
  readonly error: number;
  /** The same against the median of the samples. */
  readonly fromMedian: number;
}

export interface Calibration {
  readonly costs: Omit<RunCosts, "workerMs">;
  readonly madeFrom: readonly MeasuredPoint[];
  readonly checks: readonly Check[];
}

/** What is tried, in ms. */
const COMMIT_MS = Array.from({ length: 12 }, (_, step) => (step + 1) / 20);
const TRIP_MS = Array.from({ length: 9 }, (_, step) => step / 10);

/**
 * Finds what a commit and a trip cost from the points of one run at a time and of this benchmark's workers, and checks the others with
 * them. Throws when a point is off by more than the tolerances: then nothing may be concluded from the simulation.
 */
export function calibrate({ points, flushMs }: Measured, tolerance: number = TOLERANCE): Calibration {
  const madeFrom = points.filter(({ deployment, isOwn }) => isOwn || deployment.runsAtOnce === 1);
  if (madeFrom.length < 3 || madeFrom.length === points.length)
    throw new Error("The results lack a point with one run at a time, two with workers, or another to check.");
  let best = { costs: { commitMs: 0, tripMs: 0, flushMs }, off: Number.POSITIVE_INFINITY };
  for (const commitMs of COMMIT_MS) {
    for (const tripMs of TRIP_MS) {
      const costs = { commitMs, tripMs, flushMs };
      const off = Math.max(...madeFrom.map((point) => Math.abs(predict(point, costs) / point.runsPerSecond - 1)));
      if (off < best.off) best = { costs, off };
    }
  }
  const { costs } = best;
  const checks = points.map((point) => {
    const predicted = predict(point, costs);
    const fromMedian = predicted / point.runsPerSecond - 1;
    return { point, predicted, error: distance(predicted, point.range), fromMedian };
  });
  const wrong = checks.filter(
    ({ error, fromMedian }) => !(Math.abs(error) <= tolerance && Math.abs(fromMedian) <= MEDIAN_TOLERANCE),
  );
  if (wrong.length > 0) {
    const said = wrong.map(
      ({ point, predicted }) =>
        `${point.name}: ${predicted.toFixed(0)} instead of ${point.runsPerSecond.toFixed(0)} runs/s`,
    );
    throw new Error(`The simulation does not fit what was measured, so nothing follows from it. ${said.join("; ")}.`);
  }
  return { costs, madeFrom, checks };
}

function predict({ deployment, workerMs }: MeasuredPoint, costs: Calibration["costs"]): number {
  return simulate(deployment, { ...costs, workerMs }).runsPerSecond;
}

function distance(predicted: number, [least, most]: MeasuredPoint["range"]): number {
  if (predicted > most) return predicted / most - 1;
  return predicted < least ? predicted / least - 1 : 0;
}
