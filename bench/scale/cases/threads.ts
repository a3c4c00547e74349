import type { Effort } from "../effort.ts";
import { kindsOf, type MakePlace, type Places } from "../places.ts";
import { median, summarize, type Times } from "../statistics.ts";
import { WorkerProcess } from "../worker-process.ts";

/** Operations on a store with so many threads. */
export interface ThreadsReport {
  readonly store: string;
  readonly threads: number;
  /** Threads a second, with a run of four commits each, by the store alone. */
  readonly fillRate: number;
  /** Opening the store and creating the runtime in a fresh process. */
  readonly openMs: number;
  /** Pages of 50 threads: the newest, and from the middle and the end of the list. */
  readonly firstPage: Times;
  readonly middlePage: Times;
  readonly lastPage: Times;
  /** A new run on a new thread. */
  readonly accepted: Times;
  readonly done: Times;
  /** From the fork of a process to the end of a run on a thread that was there. */
  readonly freshMs: number;
  /** One more run on a thread that the process has never seen. */
  readonly coldToModel: Times;
  readonly coldDone: Times;
}

const FILL_CONCURRENCY = 100;
const FEW = 200;
const FRESH_PROCESSES = 5;
/** So that code is compiled and connections are open, as in a process that lives long. */
const WARM_UP = { count: 100, concurrency: 1 };
const PAGE = 50;

export async function measureThreads(places: Places, effort: Effort): Promise<readonly ThreadsReport[]> {
  const reports: ThreadsReport[] = [];
  for (const [store, makePlace] of kindsOf(places)) {
    // A few beside many: what is different is the price of size.
    for (const threads of [FEW, effort.threads]) reports.push(await measureOne(store, makePlace, threads, effort));
  }
  return reports;
}

async function measureOne(
  store: string,
  makePlace: MakePlace,
  threads: number,
  effort: Effort,
): Promise<ThreadsReport> {
  const place = makePlace();
  const filler = await WorkerProcess.start();
  await filler.ask("openStore", { place });
  const { tookMs } = await filler.ask("fillThreads", { count: threads, concurrency: FILL_CONCURRENCY });
  await filler.stop();

  const count = Math.min(effort.samples, threads);
  const fresh: number[] = [];
  for (let process = 0; process < FRESH_PROCESSES; process += 1) {
    const startedAt = performance.now();
    const stranger = await WorkerProcess.start();
    await stranger.ask("open", { place });
    await stranger.ask("resumeCold", { count: 1 });
    fresh.push(performance.now() - startedAt);
    await stranger.stop();
  }

  const worker = await WorkerProcess.start();
  const { storeMs, runtimeMs } = await worker.ask("open", { place });
  await worker.ask("runMany", WARM_UP);
  const cold = await worker.ask("resumeCold", { count });
  const firstPage = await worker.ask("listPages", { offset: 0, count });
  const middlePage = await worker.ask("listPages", { offset: Math.floor(threads / 2), count });
  const lastPage = await worker.ask("listPages", { offset: threads - PAGE, count });
  const started = await worker.ask("startMany", { count });
  await worker.stop();
  return {
    store,
    threads,
    fillRate: (threads / tookMs) * 1_000,
    openMs: storeMs + runtimeMs,
    firstPage: summarize(firstPage),
    middlePage: summarize(middlePage),
    lastPage: summarize(lastPage),
    accepted: summarize(started.accepted),
    done: summarize(started.done),
    freshMs: median(fresh),
    coldToModel: summarize(cold.toModel),
    coldDone: summarize(cold.done),
  };
}
