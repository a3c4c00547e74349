import type { DatabasesReport } from "../cases/databases.ts";
import type { TakeoverReport } from "../cases/takeover.ts";
import type { ThreadsReport } from "../cases/threads.ts";
import type { WaitingReport } from "../cases/waiting.ts";
import type { WorkersReport } from "../cases/workers.ts";
import { formatCount, formatMegabytes, formatMs, formatTimes, markdownTable } from "./tables.ts";

export function reportWorkers(reports: readonly WorkersReport[]): string {
  const [one] = reports;
  const heads = [
    "worker processes",
    "own runs/s",
    "x one",
    "client CPU ms a run",
    "queued runs/s",
    "x one",
    "share of the busiest",
  ];
  const rows = reports.map(({ workers, ownRate, cpuMs, queuedRate, largestShare }) => [
    String(workers),
    formatCount(ownRate),
    (ownRate / (one?.ownRate ?? Number.NaN)).toFixed(2),
    formatMs(cpuMs),
    formatCount(queuedRate),
    (queuedRate / (one?.queuedRate ?? Number.NaN)).toFixed(2),
    `${(largestShare * 100).toFixed(0)} %`,
  ]);
  return [
    "## Worker processes on one Postgres",
    markdownTable(heads, rows),
    "A run is a user message of 1 kB, a call of a tool and an answer of 1 kB in 50 pieces: four commits. *Own* runs are started by the processes, 20 at a time each, and their events read to the end. *Queued* runs are in the mailboxes of as many threads before the processes start. Postgres, the workers and the benchmark share the cores, so a second worker can only use the time that the first leaves idle.",
  ].join("\n\n");
}

export function reportDatabases(reports: readonly DatabasesReport[]): string {
  const [one] = reports;
  const rows = reports.map(({ databases, rate, cpuMs }) => [
    String(databases),
    formatCount(rate),
    (rate / (one?.rate ?? Number.NaN)).toFixed(2),
    formatMs(cpuMs),
  ]);
  return [
    "## Threads over several databases",
    markdownTable(["databases", "own runs/s", "x one", "client CPU ms a run"], rows),
    "Two worker processes, 20 runs at a time each, as above. The databases are of one server and share its cores, its disk and its write-ahead log: this is what spreading costs, and not how far it scales.",
  ].join("\n\n");
}

export function reportTakeover(reports: readonly TakeoverReport[]): string {
  const heads = [
    "store",
    "who takes over",
    "first event s, p50 / p99",
    "call executes s, p50 / p99",
    "longest s",
    "runs",
    "kills",
  ];
  const seconds = (ms: number): string => (ms / 1_000).toFixed(2);
  const rows = reports.map(({ store, how, kills, toEvent, toExecution }) => [
    store,
    how,
    ...[toEvent, toExecution].map(({ p50, p99 }) => `${seconds(p50)} / ${seconds(p99)}`),
    seconds(toExecution.most),
    formatCount(toExecution.count),
    String(kills),
  ]);
  return [
    "## Takeover after `kill -9`",
    markdownTable(heads, rows, 2),
    "A process has so many runs in a tool call that does not end, each on a thread of its own, and is killed. The times are from the kill until the first event of the new activation, and until the interrupted call executes again. The kills fall on different parts of the renewal's rhythm.",
  ].join("\n\n");
}

export function reportWaiting(reports: readonly WaitingReport[]): string {
  const heads = [
    "store",
    "waiting runs",
    "filled, runs/s",
    "Node's start ms",
    "open ms",
    "memory MB",
    "heap MB",
    "list of all ms",
    "decide → stored ms, p50 / p99",
    "→ executing",
    "→ done",
  ];
  const rows = reports.map((one) => [
    one.store,
    formatCount(one.waiting),
    formatCount(one.fillRate),
    formatMs(one.startMs),
    formatMs(one.openMs),
    formatMegabytes(one.rss),
    formatMegabytes(one.heapUsed),
    formatMs(one.listMs),
    ...[one.stored, one.resumed, one.done].map(formatTimes),
  ]);
  return [
    "## Waiting runs",
    markdownTable(heads, rows),
    "Runs wait for the approval of a call. A fresh process opens the store; its memory is taken after a collection, before it does anything. Then, after 100 runs to warm up, calls from all over the list are approved, one at a time.",
  ].join("\n\n");
}

export function reportThreads(reports: readonly ThreadsReport[]): string {
  const heads = [
    "store",
    "threads",
    "filled, threads/s",
    "open ms",
    "list: newest, p50 / p99",
    "middle",
    "oldest",
    "new run: accepted",
    "done",
    "cold thread: model called",
    "done",
    "fresh process",
  ];
  const rows = reports.map((one) => [
    one.store,
    formatCount(one.threads),
    formatCount(one.fillRate),
    formatMs(one.openMs),
    ...[one.firstPage, one.middlePage, one.lastPage].map(formatTimes),
    ...[one.accepted, one.done, one.coldToModel, one.coldDone].map(formatTimes),
    formatMs(one.freshMs),
  ]);
  return [
    "## Many threads",
    markdownTable(heads, rows),
    "All times in ms. Every thread has a run of four commits, written by the store alone, 100 threads at a time. Pages have 50 threads. A cold thread is continued by a process that has never seen it: until the model is called with its messages, and until the run is done. *Fresh process* is from the fork of a process, Node's start and imports included, to the end of its first run on such a thread. One operation at a time, after 100 runs to warm up.",
  ].join("\n\n");
}
