import type { StatementReport } from "../measure/statements.ts";
import { summarize } from "../measure/statistics.ts";
import type { Throughput } from "../measure/throughput.ts";
import { CONCURRENCIES, type Suites } from "../suites/suite.ts";
import { formatDigits, formatMs, markdownTable } from "./tables.ts";

/** Whose a run's time is, as far as parts of it were measured alone. The parts are not a sum: each also waits for the others. */
export function reportShares({ postgres, sqlite, others }: Suites): string {
  const measured = [postgres, sqlite].filter((suite) => suite !== undefined);
  const rows = measured.flatMap(({ title, throughput }) =>
    CONCURRENCIES.map((concurrency) => {
      const [raw, store, runtime] = throughput.filter((one) => one.concurrency === concurrency);
      const [, memory] = others?.throughput.filter((one) => one.concurrency === concurrency) ?? [];
      return [
        `${title}, ${concurrency} at a time`,
        ...[raw, store, runtime].map((one) => formatMs(wallMs(one))),
        ...[raw, memory, store, runtime].map((one) => formatMs(cpuMs(one))),
      ];
    }),
  );
  const heads = [
    "ms a run",
    "raw",
    "store alone",
    "whole run",
    "CPU: raw",
    "runtime in memory",
    "store alone",
    "whole run",
  ];
  const statements = postgres?.statements.filter(({ concurrency }) => concurrency === 1) ?? [];
  return [
    markdownTable(heads, rows, 1),
    ...(statements.length === 0 ? [] : ["Statements a run, 1 at a time, by kind:", reportKinds(statements)]),
  ].join("\n\n");
}

function wallMs(one: Throughput | undefined): number {
  return 1_000 / summarize(one?.rates ?? []).median;
}

function cpuMs(one: Throughput | undefined): number {
  return summarize(one?.cpuMs ?? []).median;
}

/** The first that matches. */
const KINDS: readonly (readonly [string, RegExp])[] = [
  ["notifications", /pg_notify|^notify|^listen/i],
  ["transaction control", /^(?:begin|commit|rollback|start|set|savepoint|release)\b/i],
  ["writes", /\b(?:insert into|update|delete from)\b/i],
  ["reads", /^(?:select|with)\b/i],
];

function reportKinds(reports: readonly StatementReport[]): string {
  const kinds = [...KINDS.map(([kind]) => kind), "other"];
  const rows = reports.map(({ contestant, perRun, counts }) => {
    const sums = new Map<string, number>();
    const all = counts.reduce((sum, { executions }) => sum + executions, 0);
    for (const { text, executions } of counts) {
      const kind = KINDS.find(([, pattern]) => pattern.test(text))?.[0] ?? "other";
      sums.set(kind, (sums.get(kind) ?? 0) + executions);
    }
    return [
      contestant,
      ...kinds.map((kind) => formatDigits(((sums.get(kind) ?? 0) / all) * perRun)),
      formatDigits(perRun),
    ];
  });
  return markdownTable(["contestant", ...kinds, "all"], rows, 1);
}
