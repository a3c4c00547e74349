import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { playRun } from "../../checkpoint/load/play-run.ts";
import { recordRun } from "../../checkpoint/load/record-run.ts";
import { QUESTION } from "../../checkpoint/load/workload.ts";
import { inLanes } from "./lanes.ts";
import type { Place } from "./place.ts";
import { now } from "./sightings.ts";
import type { Worker, WorkerOptions } from "./worker.ts";

const POLL_MS = 50;
const PAGE = 50;
/** The most a list gives at once. */
const LARGEST_PAGE = 200;

interface Amount {
  readonly count: number;
  readonly concurrency: number;
}

interface StartedRun {
  readonly id: string;
  readonly threadId: string;
}

/** Everything a worker process can be asked to do. Each answers with plain data. */
export const TASKS = {
  /** Opens the store and puts a runtime on it; how long each took. */
  async open(worker: Worker, { place, options = {} }: { readonly place: Place; readonly options?: WorkerOptions }) {
    const startedAt = now();
    await worker.openStore(place);
    const openedAt = now();
    await worker.createRuntime(options);
    return { storeMs: openedAt - startedAt, runtimeMs: now() - openedAt };
  },

  async openStore(worker: Worker, { place }: { readonly place: Place }) {
    await worker.openStore(place);
  },

  async createRuntime(worker: Worker, options: WorkerOptions) {
    await worker.createRuntime(options);
  },

  /** Memory in use, after a collection. */
  async footprint(_worker: Worker, _nothing: null) {
    // Once for the garbage, and once more for the pages it leaves.
    for (let time = 0; time < 2; time += 1) {
      globalThis.gc?.();
      await pause(200);
    }
    const { rss, heapUsed, external } = process.memoryUsage();
    return { rss, heapUsed, external };
  },

  /** Whole runs, their events read to the end. */
  async runMany({ runtime }: Worker, { count, concurrency }: Amount) {
    const cpuBefore = process.cpuUsage();
    const startedAt = now();
    await inLanes(count, concurrency, async () => {
      const run = await runtime.start({ agent: "bench", input: QUESTION });
      let last = "";
      for await (const event of run.events()) last = event.type;
      if (last !== "run_finish") throw new Error(`The run ${run.id} ended with ${last}.`);
    });
    const { user, system } = process.cpuUsage(cpuBefore);
    return { startedAt, endedAt: now(), cpuMs: (user + system) / 1_000 };
  },

  /** Runs in the mailboxes of new threads, for any runtime to take. */
  async queueRuns({ store }: Worker, { count, concurrency }: Amount) {
    const tenant = store.forTenant("default");
    await inLanes(count, concurrency, async () => {
      const [thread_id, run_id] = [randomUUID(), randomUUID()];
      const messages = [{ role: "user", content: QUESTION } as const];
      const request = { agent_id: "bench", thread_id, run_id, messages };
      const entry_id = `${run_id}-entry`;
      await tenant.submit({ entry_id, thread_id, run_id, request, busy_policy: "enqueue", priority: 0 });
    });
  },

  /** Resolves when so many runs are done; how many runs each process did is known to them. */
  async awaitDone({ store }: Worker, { count }: { readonly count: number }) {
    const tenant = store.forTenant("default");
    for (;;) {
      const { total } = await tenant.listRuns({ status: "done", limit: 1 });
      if (total >= count) return { endedAt: now() };
      await pause(POLL_MS);
    }
  },

  async countExecutions({ sightings }: Worker, _nothing: null) {
    return sightings.executions.size;
  },

  /** Runs whose tool call does not end. Resolves when all of them are in it. */
  async startLong({ runtime, sightings }: Worker, { count, concurrency }: Amount) {
    const executing = sightings.awaitExecutions(count);
    const runs: StartedRun[] = [];
    await inLanes(count, concurrency, async () => {
      const { id, threadId } = await runtime.start({ agent: "long", input: QUESTION });
      runs.push({ id, threadId });
    });
    await executing;
    return runs;
  },

  /** Resolves when runs of another process are done here; answers with when each was at work again. */
  async awaitTakeover({ runtime, store, sightings }: Worker, { runs }: { readonly runs: readonly StartedRun[] }) {
    // Asking for outcomes at once would be work for the store, beside the takeover.
    while (runs.some(({ threadId }) => !sightings.executions.has(threadId))) await pause(POLL_MS);
    const taken: { readonly firstEventAt: number; readonly executedAt: number }[] = [];
    for (const { id, threadId } of runs) {
      const { status } = await (await runtime.run(id)).outcome();
      if (status !== "done") throw new Error(`A run that was taken over is ${status}.`);
      const segments = await store.forTenant("default").readEvents(id, 0);
      const own = segments.filter(({ epoch }) => epoch > (segments[0]?.epoch ?? 0)).flatMap(({ events }) => events);
      const firstEventAt = own[0]?.timestamp_ms ?? Number.NaN;
      taken.push({ firstEventAt, executedAt: sightings.executions.get(threadId) ?? Number.NaN });
    }
    return taken;
  },

  /** Runs that wait for approval. */
  async startWaiting({ runtime }: Worker, { count, concurrency }: Amount) {
    const startedAt = now();
    await inLanes(count, concurrency, async () => {
      const { status } = await runtime.runToCompletion({ agent: "approval", input: QUESTION });
      if (status !== "waiting") throw new Error(`A run is ${status} and does not wait.`);
    });
    return { tookMs: now() - startedAt };
  },

  /** Approves one call after the other; how long until the decision was stored, the call executed and the run done. */
  async decideMany({ runtime, sightings }: Worker, { count }: { readonly count: number }) {
    const startedAt = now();
    const open = await runtime.decisions.list();
    const listMs = now() - startedAt;
    const times = { stored: [] as number[], resumed: [] as number[], done: [] as number[] };
    // From everywhere in the list, not only the oldest.
    const step = Math.max(Math.floor(open.length / count), 1);
    for (const { id, run_id, thread_id } of open.filter((_, index) => index % step === 0).slice(0, count)) {
      const run = await runtime.run(run_id);
      const executed = sightings.awaitExecution(thread_id);
      const decidedAt = now();
      await runtime.decisions.decide(id, { action: "approve" });
      times.stored.push(now() - decidedAt);
      await executed;
      times.resumed.push((sightings.executions.get(thread_id) ?? Number.NaN) - decidedAt);
      const { status } = await run.outcome();
      if (status !== "done") throw new Error(`A run that was approved is ${status}.`);
      times.done.push(now() - decidedAt);
    }
    return { open: open.length, listMs, ...times };
  },

  /** Threads with a run each, as a runtime writes it, by the store alone. */
  async fillThreads({ store }: Worker, { count, concurrency }: Amount) {
    const makeScript = await recordRun();
    const tenant = store.forTenant("default");
    const startedAt = now();
    await inLanes(count, concurrency, () => playRun(tenant, makeScript()));
    return { tookMs: now() - startedAt };
  },

  /** Pages of threads from an offset on. */
  async listPages({ runtime }: Worker, { offset, count }: { readonly offset: number; readonly count: number }) {
    const times: number[] = [];
    for (let page = 0; page < count; page += 1) {
      const startedAt = now();
      const { items } = await runtime.threads.list({ offset, limit: PAGE });
      times.push(now() - startedAt);
      if (items.length === 0) throw new Error(`There are no threads at ${offset}.`);
    }
    return times;
  },

  /** New runs on new threads, one at a time: until accepted durably, and until done. */
  async startMany({ runtime }: Worker, { count }: { readonly count: number }) {
    const times = { accepted: [] as number[], done: [] as number[] };
    for (let run = 0; run < count; run += 1) {
      const startedAt = now();
      const handle = await runtime.start({ agent: "bench", input: QUESTION });
      times.accepted.push(now() - startedAt);
      await handle.outcome();
      times.done.push(now() - startedAt);
    }
    return times;
  },

  /** One more run on threads this process has never seen, one at a time: until the model is called, and until done. */
  async resumeCold({ runtime, sightings }: Worker, { count }: { readonly count: number }) {
    const { total } = await runtime.threads.list({ limit: 1 });
    const ids: string[] = [];
    const pages = Math.min(Math.ceil(total / LARGEST_PAGE), 10);
    for (let page = 0; page < pages; page += 1) {
      const offset = Math.floor((page * total) / pages);
      const { items } = await runtime.threads.list({ offset, limit: Math.min(LARGEST_PAGE, Math.ceil(count / pages)) });
      ids.push(...items.map(({ thread_id }) => thread_id));
    }
    const times = { toModel: [] as number[], done: [] as number[] };
    for (const threadId of new Set(ids.slice(0, count))) {
      sightings.modelCalledAt = 0;
      const startedAt = now();
      const run = await runtime.start({ agent: "bench", input: QUESTION, threadId });
      await run.outcome();
      times.toModel.push(sightings.modelCalledAt - startedAt);
      times.done.push(now() - startedAt);
    }
    return times;
  },

  async close(worker: Worker, _nothing: null) {
    await worker.close();
  },
} as const;

export type Tasks = typeof TASKS;
export type TaskName = keyof Tasks;
export type TaskParameters<Name extends TaskName> = Parameters<Tasks[Name]>[1];
export type TaskAnswer<Name extends TaskName> = Awaited<ReturnType<Tasks[Name]>>;
