import type { CaseResult, Experiment, TrialResult } from "../evaluate/experiment.ts";
import { describeJudgements } from "./describe-judgements.ts";
import { describeRegression } from "./describe-regression.ts";

/** The result as JUnit XML: a test case for each case, with the checks that failed. Warnings are output of their test case. */
export function writeJunit({ name, mode, duration_ms, totals, cases, missing }: Experiment): string {
  const failures = totals.failed + missing.length;
  const counts = `tests="${cases.length + missing.length}" failures="${failures}" errors="0" skipped="0"`;
  const suite = escapeXml(name ?? `reprise eval (${mode})`);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="${suite}" ${counts} time="${seconds(duration_ms)}">`,
    `  <testsuite name="${suite}" ${counts} time="${seconds(duration_ms)}">`,
    ...cases.flatMap(writeCase),
    ...missing.flatMap((id) => [
      `    <testcase name="${escapeXml(id)}" classname="reprise.eval">`,
      '      <failure message="The case is in the baseline and was not evaluated."/>',
      "    </testcase>",
    ]),
    "  </testsuite>",
    "</testsuites>",
    "",
  ].join("\n");
}

function writeCase({ id, agent_id, verdict, trials, metrics, regressions = [] }: CaseResult): readonly string[] {
  const open = `    <testcase name="${escapeXml(id)}" classname="${escapeXml(`reprise.eval.${agent_id}`)}" time="${seconds(metrics.latency_ms)}"`;
  const found = [
    ...trials.flatMap((trial, index) => problemsOf(trial, index, trials.length)),
    ...regressions.map(describeRegression),
  ];
  const isFailed = verdict === "failed";
  const failure = `      <failure message="${escapeXml(found[0] ?? "")}">${escapeXml(found.join("\n"))}</failure>`;
  const told = [...(isFailed ? [] : found), ...describeJudgements({ trials })];
  const elements = [
    ...(isFailed ? [failure] : []),
    ...(told.length === 0 ? [] : [`      <system-out>${escapeXml(told.join("\n"))}</system-out>`]),
  ];
  return elements.length === 0 ? [`${open}/>`] : [`${open}>`, ...elements, "    </testcase>"];
}

function problemsOf({ checks }: TrialResult, index: number, count: number): readonly string[] {
  const trial = count === 1 ? "" : `trial ${index + 1}: `;
  return checks.flatMap(({ name, verdict, message }) =>
    verdict === "passed" ? [] : [`${trial}${name} ${verdict}: ${message}`],
  );
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(3);
}

// XML has no place for most control characters, not even escaped.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out.
const UNWRITABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;
const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\n": "&#10;",
};

function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(UNWRITABLE, "")
    .replaceAll(/[&<>"\n]/g, (found) => ENTITIES[found] ?? "");
}
