import { COMMITS_PER_RUN } from "../load/play-run.ts";
import type { BytesReport } from "../measure/bytes.ts";
import type { LoadReport } from "../measure/cold-load.ts";
import type { LoopReport } from "../measure/event-loop.ts";
import { addedMs, type Latency } from "../measure/latency.ts";
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
  const heads = ["contestant", "runs/s", "min–max", "commits/s", "x the first", "runs a sample"];
  const rows = all.map((one) => {
    const { median, least, most } = summarize(one.rates);
    return [
      one.contestant,
      formatDigits(median),
      `${formatDigits(least)}–${formatDigits(most)}`,
      formatDigits(median * COMMITS_PER_RUN),
      formatDigits(reference === undefined ? Number.NaN : rateOf(one, reference)),
      String(one.runs),
    ];
  });
  return markdownTable(heads, rows, 1);
}

/** How many times as fast as another: the median over the repetitions, whose noise both share. */
export function rateOf(one: Throughput, reference: Throughput): number {
  return summarize(one.rates.map((rate, index) => rate / (reference.rates[index] ?? Number.NaN))).median;
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
  const heads = ["store", "messages", "load ms", "rows ms", "rows, parsed ms", "x rows", "x rows, parsed"];
  const rows = all.map((one) => [
    one.store,
    one.messages.toLocaleString("en-US"),
    ...[one.loadMs, one.rowsMs, one.parsedMs].map(formatMs),
    ...[one.ratioToRows, one.ratioToParsed].map(formatDigits),
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
