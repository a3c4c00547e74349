import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { WorkerHandle } from "../fleet/worker-handle.ts";
import type { SeededRandom } from "../random/seeded-random.ts";
import type { Stage } from "../round/open-stage.ts";
import { FAULT_POINTS, FLOW_POINTS } from "../worker/fault-point-names.ts";
import { pauseFor } from "../workload/pause-for.ts";

/** A life that reaches no armed point for this long is ended in order, which has points of its own. */
const LONGEST_LIFE_MS = 4_000;
/** After so many lives without a new point the rest counts as out of reach. */
const MAX_FRUITLESS = 8;
/** How many points a life is armed with: with more it would be over before anything has happened. */
const ARMED = 12;

/**
 * Has a worker die at every fault point once. Each life is armed with several points that are left and dies at the first it
 * reaches, so that rare ones get many chances. Returns those that were never reached.
 */
export async function visitPoints(stage: Stage, random: SeededRandom): Promise<readonly string[]> {
  const { workers, log, folder, options } = stage;
  const [worker] = workers;
  const points = options.workflows ? FLOW_POINTS : FAULT_POINTS;
  if (worker === undefined) return points;
  const file = join(folder, "died-at");
  const left = new Set(points);
  await worker.kill();
  for (let fruitless = 0; left.size > 0 && fruitless < MAX_FRUITLESS; ) {
    stage.signal.throwIfAborted();
    rmSync(file, { force: true });
    const armed = [...left].toSorted(() => random.next() - 0.5).slice(0, ARMED);
    const visits = Object.fromEntries(armed.map((point) => [point, random.between(1, left.size > ARMED ? 4 : 1)]));
    await worker.start({ visits, file });
    await endWithin(worker, LONGEST_LIFE_MS);
    const point = existsSync(file) ? readFileSync(file, "utf8") : undefined;
    if (point !== undefined && left.delete(point)) fruitless = 0;
    else fruitless += 1;
    log.note({ type: "fault", fault: point === undefined ? "retire" : `die at ${point}`, worker: worker.name });
    options.progress?.(`${points.length - left.size} of ${points.length} fault points`);
  }
  await worker.start();
  return [...left];
}

async function endWithin(worker: WorkerHandle, ms: number): Promise<void> {
  const timeout = new AbortController();
  const tooLong = pauseFor(ms, timeout.signal).then(
    () => worker.retire(),
    () => undefined,
  );
  await worker.died;
  timeout.abort();
  await tooLong;
}
