import { BARE } from "./contestants/bare.ts";
import { REPRISE } from "./contestants/reprise.ts";
import type { HeapPoint } from "./heap.ts";
import type { OneReport, Paired } from "./paired.ts";
import { costOf, type Row, rowOf, rowsOf } from "./results.ts";
import type { TargetRow } from "./targets.ts";
import type { LengthResult } from "./thread-length.ts";

export function reportContestants(contestants: readonly OneReport[]): string {
  return markdownTable(
    ["contestant", "how", "events a run"],
    contestants.map(({ name, note, events }) => [name, note, String(events)]),
    2,
  );
}

export function reportTargets(rows: readonly TargetRow[]): string {
  const cells = rows.map(({ title, value, required, unit, isMet }) => [
    title,
    `${formatDigits(value)}${unit}`,
    `${required}${unit}`,
    isMet ? "yes" : "**no**",
  ]);
  return markdownTable(["target", "measured", "at most", "met"], cells, 1);
}

export function reportRuns(measurements: readonly Paired[], concurrency: number): string {
  const rows = rowsOf(measurements, concurrency);
  const ours = costOf(rowOf(rows, REPRISE));
  const heads = ["contestant", "CPU ms/run", "min–max", `x ${BARE}`, `x ${REPRISE}`, "wall ms/run", "runs a sample"];
  const cells = rows
    .toSorted((left, right) => left.cpu.median - right.cpu.median)
    .map((row) => [
      row.contestant === REPRISE ? `**${row.contestant}**` : row.contestant,
      formatMs(row.cpu.median),
      spread(row),
      formatDigits(costOf(row)),
      formatDigits(costOf(row) / ours),
      formatMs(row.wall.median),
      String(row.runs),
    ]);
  return markdownTable(heads, cells, 1);
}

function spread({ cpu }: Row): string {
  return `${formatMs(cpu.least)}–${formatMs(cpu.most)}`;
}

export function reportHeap(points: readonly HeapPoint[]): string {
  return markdownTable(
    ["runs", "heap MB"],
    points.map(({ runs, bytes }) => [runs.toLocaleString("en-US"), (bytes / 1e6).toFixed(2)]),
    0,
  );
}

export function reportLengths(lengths: readonly LengthResult[]): string {
  return markdownTable(
    ["messages", "CPU ms until the model is asked", "x shortest", "CPU ms of the whole run", "x shortest"],
    lengths.map((length) => [
      length.messages.toLocaleString("en-US"),
      formatMs(length.toModelMs),
      formatDigits(length.toModelRatio),
      formatMs(length.wholeMs),
      formatDigits(length.wholeRatio),
    ]),
    0,
  );
}

/** The first `textColumns` columns are text, the others numbers and aligned as such. */
function markdownTable(heads: readonly string[], rows: readonly (readonly string[])[], textColumns: number): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [line(heads), line(heads.map((_, column) => (column < textColumns ? "---" : "---:"))), ...rows.map(line)].join(
    "\n",
  );
}

function formatMs(ms: number): string {
  return ms >= 10 ? ms.toFixed(1) : ms >= 1 ? ms.toFixed(2) : ms.toFixed(3);
}

function formatDigits(value: number): string {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}
