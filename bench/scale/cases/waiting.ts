import type { Effort } from "../effort.ts";
import { kindsOf, type MakePlace, type Places } from "../places.ts";
import { summarize, type Times } from "../statistics.ts";
import { WorkerProcess } from "../worker-process.ts";

/** A process on a store in which so many runs wait for approval. */
export interface WaitingReport {
  readonly store: string;
  readonly waiting: number;
  /** Runs a second that came to wait. */
  readonly fillRate: number;
  /** Node's start and imports. */
  readonly startMs: number;
  /** Opening the store and creating the runtime. */
  readonly openMs: number;
  /** Memory of the fresh process, in bytes. */
  readonly rss: number;
  readonly heapUsed: number;
  /** All open decisions in one list. */
  readonly listMs: number;
  /** From `decide` until it is stored, the call executes, the run is done. */
  readonly stored: Times;
  readonly resumed: Times;
  readonly done: Times;
}

const FILL_CONCURRENCY = 50;
/** So that code is compiled and connections are open, as in a process that lives long. */
const WARM_UP = { count: 100, concurrency: 1 };

export async function measureWaiting(places: Places, effort: Effort): Promise<readonly WaitingReport[]> {
  const reports: WaitingReport[] = [];
  for (const [store, makePlace] of kindsOf(places)) {
    // A few beside many: what is different is the price of waiting.
    for (const waiting of [effort.samples, effort.waiting]) {
      reports.push(await measureOne(store, makePlace, { waiting, samples: Math.min(effort.samples, waiting) }));
    }
  }
  return reports;
}

async function measureOne(
  store: string,
  makePlace: MakePlace,
  { waiting, samples }: { readonly waiting: number; readonly samples: number },
): Promise<WaitingReport> {
  const place = makePlace();
  const filler = await WorkerProcess.start();
  await filler.ask("open", { place });
  const { tookMs } = await filler.ask("startWaiting", { count: waiting, concurrency: FILL_CONCURRENCY });
  await filler.stop();
  const worker = await WorkerProcess.start();
  const { storeMs, runtimeMs } = await worker.ask("open", { place });
  const { rss, heapUsed } = await worker.ask("footprint", null);
  await worker.ask("runMany", WARM_UP);
  const { open, listMs, stored, resumed, done } = await worker.ask("decideMany", { count: samples });
  await worker.stop();
  if (open !== waiting) throw new Error(`${open} of ${waiting} runs wait.`);
  return {
    store,
    waiting,
    fillRate: (waiting / tookMs) * 1_000,
    startMs: worker.startMs,
    openMs: storeMs + runtimeMs,
    rss,
    heapUsed,
    listMs,
    stored: summarize(stored),
    resumed: summarize(resumed),
    done: summarize(done),
  };
}
