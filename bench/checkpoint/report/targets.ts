import { addedMs } from "../measure/latency.ts";
import type { Throughput } from "../measure/throughput.ts";
import { nameOfLangGraph } from "../postgres/langgraph.ts";
import { RAW_PIPELINED } from "../postgres/raw-postgres.ts";
import { SAVER_ALONE } from "../postgres/saver-alone.ts";
import { RAW_SQLITE } from "../sqlite/raw-sqlite.ts";
import { POSTGRES_RUNTIME, POSTGRES_STORE } from "../suites/postgres.ts";
import { SQLITE_STORE } from "../suites/sqlite.ts";
import type { Suite } from "../suites/suite.ts";
import { rateOf } from "./suite-report.ts";
import { formatDigits, formatMs, markdownTable } from "./tables.ts";

/** One thing we promised: at least, or at most, so much. */
interface Target {
  readonly title: string;
  readonly value: number;
  readonly least?: number;
  readonly most?: number;
  readonly unit: "x" | " ms";
}

export function reportTargets(postgres: Suite, sqlite: Suite): string {
  const targets = [...postgresTargets(postgres), ...sqliteTargets(sqlite), ...[postgres, sqlite].flatMap(sizeTargets)];
  const rows = targets.map(({ title, value, least, most, unit }) => {
    const isMet = value >= (least ?? Number.NEGATIVE_INFINITY) && value <= (most ?? Number.POSITIVE_INFINITY);
    const bound = least === undefined ? `at most ${most}` : `at least ${least}`;
    return [
      title,
      `${unit === "x" ? formatDigits(value) : formatMs(value)}${unit}`,
      `${bound}${unit}`,
      isMet ? "yes" : "**no**",
    ];
  });
  return markdownTable(["target", "measured", "wanted", "met"], rows, 1);
}

function postgresTargets(suite: Suite): readonly Target[] {
  const rate = (name: string, reference: string, concurrency: number): number =>
    rateOf(find(suite, name, concurrency), find(suite, reference, concurrency));
  const batched = rate(POSTGRES_STORE, RAW_PIPELINED, 20);
  const wholeRuns = Math.min(
    ...(["async", "sync"] as const).map((durability) => rate(POSTGRES_RUNTIME, nameOfLangGraph(durability), 20)),
  );
  const saver = "against LangGraph's PostgresSaver";
  return [
    { title: "Postgres, 20 at a time: commits against raw", value: batched, least: 0.8, unit: "x" },
    { title: "the goal of it, by batching", value: batched, least: 2, unit: "x" },
    {
      title: "Postgres, 1 at a time: commits against raw",
      value: rate(POSTGRES_STORE, RAW_PIPELINED, 1),
      least: 0.5,
      unit: "x",
    },
    {
      title: `Postgres, 20 at a time: keeping a run ${saver} alone`,
      value: rate(POSTGRES_STORE, SAVER_ALONE, 20),
      least: 10,
      unit: "x",
    },
    { title: `Postgres, 20 at a time: whole runs ${saver}, the faster of two`, value: wholeRuns, least: 10, unit: "x" },
  ];
}

function sqliteTargets(suite: Suite): readonly Target[] {
  const [raw, store] = [RAW_SQLITE, SQLITE_STORE].map((name) => suite.latency.find((one) => one.contestant === name));
  const [rawLoop, storeLoop] = [RAW_SQLITE, SQLITE_STORE].map((name) =>
    suite.loop.find((one) => one.contestant === name),
  );
  return [
    {
      title: "SQLite FULL, 20 at a time: commits against raw, one after the other",
      value: rateOf(find(suite, SQLITE_STORE, 20), find(suite, RAW_SQLITE, 20)),
      least: 2,
      unit: "x",
    },
    {
      title: "SQLite FULL, 1 at a time: added to a commit, p50",
      value: raw === undefined || store === undefined ? Number.NaN : addedMs(store, raw),
      most: 0.4,
      unit: " ms",
    },
    {
      title: "SQLite FULL, 20 at a time: how long the event loop stands still, against raw on it",
      value: (storeLoop?.stillMs ?? Number.NaN) / (rawLoop?.stillMs ?? Number.NaN),
      most: 0.1,
      unit: "x",
    },
  ];
}

function sizeTargets({ title, length, load, bytes }: Suite): readonly Target[] {
  const own = bytes.filter(({ store }) => store.startsWith(title));
  return [
    ...length.map(({ long, short, ratio }): Target => {
      const name = `${title}: one more turn at ${long.messages} messages against ${short.messages}`;
      return { title: name, value: ratio, most: 1.5, unit: "x" };
    }),
    ...load.map(({ ratioToParsed }): Target => {
      return {
        title: `${title}: loading a thread against reading its rows again, parsed`,
        value: ratioToParsed,
        most: 1.5,
        unit: "x",
      };
    }),
    ...own.flatMap(({ store, turns, payload, bytes: [first, second] }): readonly Target[] => [
      {
        title: `${store}: bytes at ${turns[0]} turns against what was said`,
        value: first / payload[0],
        most: 3,
        unit: "x",
      },
      {
        title: `${store}: bytes at ${turns[1]} turns against those at ${turns[0]}`,
        value: second / first,
        most: 2.1,
        unit: "x",
      },
    ]),
  ];
}

function find({ throughput }: Suite, contestant: string, concurrency: number): Throughput {
  const found = throughput.find((one) => one.contestant === contestant && one.concurrency === concurrency);
  if (found === undefined) throw new Error(`${contestant} did not run ${concurrency} at a time.`);
  return found;
}
