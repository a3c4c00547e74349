import type { BytesReport } from "../measure/bytes.ts";
import type { LoadReport } from "../measure/cold-load.ts";
import type { LoopReport } from "../measure/event-loop.ts";
import { addedMs, type Latency } from "../measure/latency.ts";
import type { StatementReport } from "../measure/statements.ts";
import { summarize } from "../measure/statistics.ts";
import type { LengthReport } from "../measure/thread-length.ts";
import type { Throughput } from "../measure/throughput.ts";
import { CONCURRENCIES, type Suite } from "../suites/suite.ts";
import { formatDigits, formatKilobytes, formatMs, markdownTable } from "./tables.ts";

export function reportSuite(suite: Suite): string {
  return [
    `## ${suite.title}`,
    markdownTable(
      ["contestant", "how"],
      suite.contestants.map(({ name, note }) => [name, note]),
      2,
    ),
    ...CONCURRENCIES.flatMap((concurrency) => [
      `### ${concurrency} at a time`,
      reportThroughput(suite.throughput.filter((one) => one.concurrency === concurrency)),
    ]),
    ...(suite.statements.length === 0 ? [] : ["### Statements a run", reportStatements(suite.statements)]),
    ...(suite.latency.length === 0 ? [] : ["### One transaction at a time", reportLatency(suite.latency)]),
    ...(suite.loop.length === 0 ? [] : ["### The event loop, 20 at a time", reportLoop(suite.loop)]),
    ...(suite.length.length === 0 ? [] : ["### One more turn", reportLength(suite.length)]),
    ...(suite.load.length === 0 ? [] : ["### Loading a thread", reportLoad(suite.load)]),
    ...(suite.bytes.length === 0 ? [] : ["### Bytes", reportBytes(suite.bytes)]),
  ].join("\n\n");
}

/** The first is the reference. */
function reportThroughput(all: readonly Throughput[]): string {
  const [reference] = all;
  const heads = [
    "contestant",
    "runs/s",
    "min–max",
    "x the first",
    "CPU ms a run",
    "x the first",
    "kB written a run",
    "x the first",
    "runs a sample",
  ];
  const rows = all.map((one) => {
    const { median, least, most } = summarize(one.rates);
    const against = (compare: (one: Throughput, other: Throughput) => number): string =>
      formatDigits(reference === undefined ? Number.NaN : compare(one, reference));
    return [
      one.contestant,
      formatDigits(median),
      `${formatDigits(least)}–${formatDigits(most)}`,
      against(rateOf),
      formatMs(summarize(one.cpuMs).median),
      against(cpuOf),
      formatDigits(one.bytes / 1_000),
      against(bytesOf),
      String(one.runs),
    ];
  });
  return markdownTable(heads, rows, 1);
}

/** How many times as fast as another: the median over the repetitions, whose noise both share. */
export function rateOf(one: Throughput, reference: Throughput): number {
  return summarize(one.rates.map((rate, index) => rate / (reference.rates[index] ?? Number.NaN))).median;
}

/** How many times the bytes of another; one in memory writes none. */
function bytesOf(one: Throughput, reference: Throughput): number {
  return reference.bytes < SOME_BYTES ? Number.NaN : one.bytes / reference.bytes;
}

const SOME_BYTES = 100;

/** How many times the CPU of another. */
export function cpuOf(one: Throughput, reference: Throughput): number {
  return summarize(one.cpuMs.map((time, index) => time / (reference.cpuMs[index] ?? Number.NaN))).median;
}

function reportStatements(all: readonly StatementReport[]): string {
  const contestants = [...new Set(all.map(({ contestant }) => contestant))];
  const rows = contestants.map((name) => [
    name,
    ...CONCURRENCIES.map((concurrency) => {
      const report = all.find((one) => one.contestant === name && one.concurrency === concurrency);
      return formatDigits(report?.perRun ?? Number.NaN);
    }),
  ]);
  return markdownTable(["contestant", ...CONCURRENCIES.map((count) => `${count} at a time`)], rows, 1);
}

function reportLatency(all: readonly Latency[]): string {
  const [reference] = all;
  const kinds = ["admission ms", "assistant turn ms", "tool result ms", "end ms"];
  const rows = all.map((one) => [
    one.contestant,
    ...one.commits.map(formatMs),
    formatMs(reference === undefined ? Number.NaN : addedMs(one, reference)),
  ]);
  return markdownTable(["contestant, p50", ...kinds, "added to the first"], rows, 1);
}

function reportLoop(all: readonly LoopReport[]): string {
  const heads = ["contestant", "late by p50 ms", "p99", "max", "stood still, ms a commit"];
  const rows = all.map(({ contestant, p50, p99, max, stillMs }) => [
    contestant,
    ...[p50, p99, max, stillMs].map(formatMs),
  ]);
  return markdownTable(heads, rows, 1);
}

function reportLength(all: readonly LengthReport[]): string {
  const heads = ["store", "messages", "ms a turn", "messages", "ms a turn", "ratio"];
  const rows = all.map(({ store, short, long, ratio }) => [
    store,
    short.messages.toLocaleString("en-US"),
    formatMs(short.turnMs),
    long.messages.toLocaleString("en-US"),
    formatMs(long.turnMs),
    formatDigits(ratio),
  ]);
  return markdownTable(heads, rows, 1);
}

function reportLoad(all: readonly LoadReport[]): string {
  const heads = [
    "store",
    "messages",
    "cold turn ms",
    "warm turn ms",
    "loading ms",
    "raw rows, parsed ms",
    "x raw rows",
  ];
  const rows = all.map(({ store, messages, coldMs, warmMs, rowsMs }) => [
    store,
    messages.toLocaleString("en-US"),
    ...[coldMs, warmMs, coldMs - warmMs, rowsMs].map(formatMs),
    formatDigits((coldMs - warmMs) / rowsMs),
  ]);
  return markdownTable(heads, rows, 1);
}

function reportBytes(all: readonly BytesReport[]): string {
  const heads = [
    "store",
    "turns",
    "kB a thread",
    "x payload",
    "turns",
    "kB a thread",
    "x payload",
    "ratio",
    "empty, kB",
  ];
  const rows = all.map(({ store, turns, bytes, payload, emptyBytes }) => [
    store,
    ...[0, 1].flatMap((at) => [
      String(turns[at]),
      formatKilobytes(bytes[at] ?? 0),
      formatDigits((bytes[at] ?? 0) / (payload[at] ?? 1)),
    ]),
    formatDigits(bytes[1] / bytes[0]),
    formatKilobytes(emptyBytes),
  ]);
  return markdownTable(heads, rows, 1);
}
