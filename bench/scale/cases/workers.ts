import type { Effort } from "../effort.ts";
import type { MakePlace } from "../places.ts";
import { median } from "../statistics.ts";
import { WorkerProcess } from "../worker-process.ts";

/** What so many worker processes do together on one store. */
export interface WorkersReport {
  readonly workers: number;
  /** Runs a second that the processes started themselves, 20 at a time each. */
  readonly ownRate: number;
  /** CPU milliseconds a run, of the processes together. */
  readonly cpuMs: number;
  /** Runs a second that were queued before the processes started. */
  readonly queuedRate: number;
  /** The part of the queued runs that the busiest process did. */
  readonly largestShare: number;
}

const CONCURRENCY = 20;
const FILL_CONCURRENCY = 50;
const COUNTS: readonly number[] = [1, 2];

export async function measureWorkers(makePlace: MakePlace, effort: Effort): Promise<readonly WorkersReport[]> {
  const own = COUNTS.map(() => [] as OwnRuns[]);
  const queued = COUNTS.map(() => [] as QueuedRuns[]);
  for (let round = 0; round < effort.rounds; round += 1) {
    for (const [index, workers] of COUNTS.entries()) {
      own[index]?.push(await runOwn(makePlace, workers, effort.runs));
      queued[index]?.push(await runQueued(makePlace, workers, effort.queued));
    }
  }
  return COUNTS.map((workers, index) => ({
    workers,
    ownRate: median((own[index] ?? []).map(({ rate }) => rate)),
    cpuMs: median((own[index] ?? []).map(({ cpuMs }) => cpuMs)),
    queuedRate: median((queued[index] ?? []).map(({ rate }) => rate)),
    largestShare: median((queued[index] ?? []).map(({ largestShare }) => largestShare)),
  }));
}

export interface OwnRuns {
  readonly rate: number;
  readonly cpuMs: number;
}

/** Every process starts runs of its own and reads their events. */
export async function runOwn(makePlace: MakePlace, count: number, runs: number): Promise<OwnRuns> {
  const place = makePlace();
  const workers: WorkerProcess[] = [];
  for (let index = 0; index < count; index += 1) {
    const worker = await WorkerProcess.start();
    await worker.ask("open", { place });
    await worker.ask("runMany", { count: Math.ceil(runs / 4), concurrency: CONCURRENCY });
    workers.push(worker);
  }
  const done = await Promise.all(
    workers.map((worker) => worker.ask("runMany", { count: runs, concurrency: CONCURRENCY })),
  );
  await Promise.all(workers.map((worker) => worker.stop()));
  const tookMs = Math.max(...done.map(({ endedAt }) => endedAt)) - Math.min(...done.map(({ startedAt }) => startedAt));
  const cpuMs = done.reduce((sum, one) => sum + one.cpuMs, 0);
  return { rate: ((runs * count) / tookMs) * 1_000, cpuMs: cpuMs / (runs * count) };
}

interface QueuedRuns {
  readonly rate: number;
  readonly largestShare: number;
}

/** Runs are in mailboxes already; the processes share them. */
async function runQueued(makePlace: MakePlace, count: number, runs: number): Promise<QueuedRuns> {
  const place = makePlace();
  const observer = await WorkerProcess.start();
  await observer.ask("openStore", { place });
  await observer.ask("queueRuns", { count: runs, concurrency: FILL_CONCURRENCY });
  const workers = await Promise.all(Array.from({ length: count }, () => WorkerProcess.start()));
  for (const worker of workers) await worker.ask("openStore", { place });
  const startedAt = performance.timeOrigin + performance.now();
  await Promise.all(workers.map((worker) => worker.ask("createRuntime", {})));
  const { endedAt } = await observer.ask("awaitDone", { count: runs });
  const shares = await Promise.all(workers.map((worker) => worker.ask("countExecutions", null)));
  await Promise.all([...workers, observer].map((worker) => worker.stop()));
  return { rate: (runs / (endedAt - startedAt)) * 1_000, largestShare: Math.max(...shares) / runs };
}
