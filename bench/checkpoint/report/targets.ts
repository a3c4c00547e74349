import { summarize } from "../measure/statistics.ts";
import type { Throughput } from "../measure/throughput.ts";
import { nameOfLangGraph } from "../postgres/langgraph.ts";
import { MINIMAL_POSTGRES } from "../postgres/minimal-raw.ts";
import { MINIMAL_SQLITE } from "../sqlite/minimal-raw.ts";
import { POSTGRES_RUNTIME } from "../suites/postgres.ts";
import { SQLITE_RUNTIME, SQLITE_STORE } from "../suites/sqlite.ts";
import type { Suite, Suites } from "../suites/suite.ts";
import { cpuOf, rateOf } from "./suite-report.ts";
import { formatDigits, formatKilobytes, formatMs, markdownTable } from "./tables.ts";

/** One thing we promised: a figure of ours against that of another is at least, or at most, so much. */
interface Target {
  readonly title: string;
  readonly ours: string;
  readonly other: string;
  readonly value: number;
  readonly least?: number;
  readonly most?: number;
  /** A plain count is no ratio. */
  readonly unit?: "x" | "";
}

export function reportTargets({ postgres, sqlite }: Suites): string {
  const targets = [
    ...(postgres === undefined ? [] : [...postgresTargets(postgres), ...sizeTargets(postgres)]),
    ...(sqlite === undefined ? [] : [...sqliteTargets(sqlite), ...sizeTargets(sqlite)]),
  ];
  const rows = targets.map(({ title, ours, other, value, least, most, unit = "x" }) => {
    const isMet = value >= (least ?? Number.NEGATIVE_INFINITY) && value <= (most ?? Number.POSITIVE_INFINITY);
    const bound = least === undefined ? `at most ${most}` : `at least ${least}`;
    return [title, ours, other, `${formatDigits(value)}${unit}`, `${bound}${unit}`, isMet ? "met" : "**not met**"];
  });
  return markdownTable(["target", "ours", "other", "measured", "wanted", ""], rows, 1);
}

function postgresTargets(suite: Suite): readonly Target[] {
  const langGraph = nameOfLangGraph("sync");
  const statements = suite.statements.find(
    ({ contestant, concurrency }) => contestant === POSTGRES_RUNTIME && concurrency === 1,
  );
  const rawStatements = suite.statements.find(
    ({ contestant, concurrency }) => contestant === MINIMAL_POSTGRES && concurrency === 1,
  );
  return [
    speed(suite, { name: POSTGRES_RUNTIME, against: MINIMAL_POSTGRES, concurrency: 1, least: 0.5 }),
    speed(suite, { name: POSTGRES_RUNTIME, against: MINIMAL_POSTGRES, concurrency: 20, least: 0.58 }),
    speed(suite, { name: POSTGRES_RUNTIME, against: langGraph, concurrency: 20, least: 10 }),
    cpu(suite, POSTGRES_RUNTIME, MINIMAL_POSTGRES),
    {
      title: "Postgres, 1 at a time: statements a run",
      ours: formatDigits(statements?.perRun ?? Number.NaN),
      other: formatDigits(rawStatements?.perRun ?? Number.NaN),
      value: statements?.perRun ?? Number.NaN,
      most: 12,
      unit: "",
    },
  ];
}

function sqliteTargets(suite: Suite): readonly Target[] {
  const [ours, raw] = [find(suite, SQLITE_RUNTIME, 1), find(suite, MINIMAL_SQLITE, 1)];
  const [loop, rawLoop] = [SQLITE_STORE, MINIMAL_SQLITE].map(
    (name) => suite.loop.find((one) => one.contestant === name)?.stillMs ?? Number.NaN,
  );
  return [
    speed(suite, { name: SQLITE_RUNTIME, against: MINIMAL_SQLITE, concurrency: 1, least: 0.4 }),
    speed(suite, { name: SQLITE_RUNTIME, against: MINIMAL_SQLITE, concurrency: 20, least: 1.2 }),
    cpu(suite, SQLITE_RUNTIME, MINIMAL_SQLITE),
    {
      title: "SQLite FULL, 1 at a time: kB written a run against minimal raw",
      ours: formatDigits(ours.bytes / 1_000),
      other: formatDigits(raw.bytes / 1_000),
      value: ours.bytes / raw.bytes,
      most: 4,
    },
    {
      title: "SQLite FULL, 20 at a time: ms a commit that the event loop stands still, against minimal raw on it",
      ours: formatMs(loop ?? Number.NaN),
      other: formatMs(rawLoop ?? Number.NaN),
      value: (loop ?? Number.NaN) / (rawLoop ?? Number.NaN),
      most: 0.1,
    },
  ];
}

interface SpeedTarget {
  readonly name: string;
  readonly against: string;
  readonly concurrency: number;
  readonly least: number;
}

function speed(suite: Suite, { name, against, concurrency, least }: SpeedTarget): Target {
  const [ours, other] = [find(suite, name, concurrency), find(suite, against, concurrency)];
  return {
    title: `${titleOf(suite)}, ${concurrency} at a time: runs/s against ${nameIn(against)}`,
    ours: formatDigits(summarize(ours.rates).median),
    other: formatDigits(summarize(other.rates).median),
    value: rateOf(ours, other),
    least,
  };
}

function cpu(suite: Suite, name: string, against: string): Target {
  const [ours, other] = [find(suite, name, 1), find(suite, against, 1)];
  return {
    title: `${titleOf(suite)}, 1 at a time: client CPU ms a run against ${nameIn(against)}`,
    ours: formatMs(summarize(ours.cpuMs).median),
    other: formatMs(summarize(other.cpuMs).median),
    value: cpuOf(ours, other),
    most: 4,
  };
}

function titleOf({ title }: Suite): string {
  return title === "SQLite" ? "SQLite FULL" : title;
}

/** The suite is named already. */
function nameIn(contestant: string): string {
  return contestant.replace(/, (?:pg|node:sqlite)$/, "");
}

function sizeTargets({ title, length, bytes }: Suite): readonly Target[] {
  const own = bytes.filter(({ store }) => store.startsWith(title));
  return [
    ...own.flatMap(({ store, turns, payload, bytes: [first, second] }): readonly Target[] => [
      {
        title: `${store}: kB at ${turns[0]} turns against what was said`,
        ours: formatKilobytes(first),
        other: formatKilobytes(payload[0]),
        value: first / payload[0],
        most: 4,
      },
      {
        title: `${store}: kB at ${turns[1]} turns against those at ${turns[0]}`,
        ours: formatKilobytes(second),
        other: formatKilobytes(first),
        value: second / first,
        most: 2.1,
      },
    ]),
    ...length.map(({ long, short, ratio }): Target => {
      const name = `${title}: ms for one more turn at ${long.messages} messages against ${short.messages}`;
      return { title: name, ours: formatMs(long.turnMs), other: formatMs(short.turnMs), value: ratio, most: 1.5 };
    }),
  ];
}

function find({ throughput }: Suite, contestant: string, concurrency: number): Throughput {
  const found = throughput.find((one) => one.contestant === contestant && one.concurrency === concurrency);
  if (found === undefined) throw new Error(`${contestant} did not run ${concurrency} at a time.`);
  return found;
}
