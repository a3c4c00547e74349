import type { Case } from "./cases.ts";
import type { Contestant } from "./contestant.ts";
import { IN_PLACE } from "./contestants/in-place.ts";
import { PATH_COPY } from "./contestants/path-copy.ts";
import { REPRISE } from "./contestants/reprise.ts";
import type { Form } from "./measure.ts";
import { type Results, type Row, speedOf } from "./results.ts";
import { TARGETS, type TargetRow } from "./targets.ts";

/** The tables of all cases, as markdown. */
export function reportCases(results: Results, cases: readonly Case[]): string {
  return cases.flatMap((testCase) => reportCase(results, testCase)).join("\n\n");
}

function reportCase(results: Results, testCase: Case): readonly string[] {
  if (testCase.kind === "operation") {
    return [`### ${capitalize(testCase.title)}\n\n${table(results, testCase, "one by one", operationColumns)}`];
  }
  const forms: readonly Form[] = ["one by one", "one step"];
  return forms.map(
    (form) =>
      `### ${capitalize(testCase.title)}, ${form}\n\n${table(results, testCase, form, replayColumns(testCase))}`,
  );
}

interface Columns {
  readonly heads: readonly string[];
  cells(row: Row): readonly string[];
}

const operationColumns: Columns = {
  heads: ["ops/s", "min–max"],
  cells: ({ time }) => [
    formatRate(1e9 / time.median),
    `${formatRate(1e9 / time.most)}–${formatRate(1e9 / time.least)}`,
  ],
};

function replayColumns(testCase: Case): Columns {
  const length = testCase.changes.length;
  const toMs = (nanoseconds: number): string => formatMs((nanoseconds * length) / 1e6);
  return {
    heads: ["ms per replay", "min–max"],
    cells: ({ time, changes }) => [
      // A slow contestant is measured on the beginning of the log.
      changes < length ? `${toMs(time.median)} (from ${changes} patches)` : toMs(time.median),
      `${toMs(time.least)}–${toMs(time.most)}`,
    ],
  };
}

function table(results: Results, testCase: Case, form: Form, columns: Columns): string {
  // No contestant batches by hand, so the reference of that name is always the copy one patch at a time.
  const byHand = results.row(testCase.id, "one by one", PATH_COPY);
  const floor = results.row(testCase.id, form, IN_PLACE);
  const rows = results.rowsOf(testCase.id, form).toSorted((left, right) => left.time.median - right.time.median);
  const heads = ["contestant", ...columns.heads, "x hand-written path copy", "x in place"];
  const lines = rows.map((row) => {
    const name = row.contestant === REPRISE ? `**${row.contestant}**` : row.contestant;
    return [name, ...columns.cells(row), formatSpeed(speedOf(row, byHand)), formatSpeed(speedOf(row, floor))];
  });
  return markdownTable(heads, lines, 1);
}

/** The targets and whether each is met, and once more those that are not. */
export function reportTargets(rows: readonly TargetRow[]): string {
  const heads = ["target", "case", "against", "our speed", "required", "met"];
  const cells = rows.map((row) => [
    row.target,
    row.title,
    row.reference,
    `${formatSpeed(row.speed)}x`,
    `${row.required}x`,
    row.isMet ? "yes" : "**no**",
  ]);
  const misses = rows.filter((row) => !row.isMet);
  const missLines = misses.map(
    (row) =>
      `- ${row.target}, ${row.title}: ${formatSpeed(row.speed)}x of ${row.reference}, where ${row.required}x is required.`,
  );
  return [
    "## Targets",
    Object.entries(TARGETS)
      .map(([name, text]) => `- ${name}: ${text}`)
      .join("\n"),
    markdownTable(heads, cells, 3),
    "## Where it falls short",
    missLines.length === 0 ? "Nowhere in this run." : missLines.join("\n"),
    "Why things are as they are: [NOTES.md](NOTES.md).",
  ].join("\n\n");
}

export function reportContestants(contestants: readonly Contestant[]): string {
  return markdownTable(
    ["contestant", "how"],
    contestants.map(({ name, note }) => [name, note]),
    2,
  );
}

/** The first `textColumns` columns are text, the others numbers and aligned as such. */
function markdownTable(heads: readonly string[], rows: readonly (readonly string[])[], textColumns: number): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [line(heads), line(heads.map((_, column) => (column < textColumns ? "---" : "---:"))), ...rows.map(line)].join(
    "\n",
  );
}

function formatRate(rate: number): string {
  if (rate >= 1e6) return `${formatDigits(rate / 1e6)} M`;
  if (rate >= 1e3) return `${formatDigits(rate / 1e3)} k`;
  return formatDigits(rate);
}

function formatMs(ms: number): string {
  return ms >= 1000 ? Math.round(ms).toLocaleString("en-US") : formatDigits(ms);
}

function formatSpeed(speed: number): string {
  return speed < 0.01 ? speed.toPrecision(1) : formatDigits(speed);
}

function formatDigits(value: number): string {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
