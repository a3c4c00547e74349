import type { Verdict } from "../check/check-result.ts";
import type { CaseResult, Experiment } from "../evaluate/experiment.ts";
import { describeJudgements } from "./describe-judgements.ts";
import { describeRegression } from "./describe-regression.ts";

const MARKS: Readonly<Record<Verdict, string>> = { passed: "✅", warned: "⚠️", failed: "❌" };

/** The result as Markdown for a pull request: a table of the cases, and what did not pass. */
export function writeMarkdown({ name, mode, verdict, totals, trials, cases, counts, missing }: Experiment): string {
  const parts = [`${totals.passed} passed`, `${totals.warned} warned`, `${totals.failed} failed`];
  if (missing.length > 0) parts.push(`${missing.length} missing`);
  const judged = cases.flatMap((each) => describeJudgements(each).map((line) => `- ${cell(each.id)}: ${cell(line)}`));
  const problems = cases.filter((each) => each.verdict !== "passed");
  return [
    `### ${MARKS[verdict]} ${cell(name ?? "Evaluation")}: ${verdict}`,
    "",
    `Mode \`${mode}\`${trials > 1 ? `, ${trials} trials a case` : ""}: ${parts.join(", ")}. ${counts.model_calls} model calls and ${counts.tool_calls} tool calls were made.`,
    "",
    "| case | verdict | pass rate | steps | tool calls | tokens | cost (USD) |",
    "|---|---|---|---|---|---|---|",
    ...cases.map(rowOf),
    ...missing.map((id) => `| ${cell(id)} | ${MARKS.failed} missing | | | | | |`),
    ...(problems.length === 0 ? [] : ["", ...problems.flatMap(explain)]),
    ...(judged.length === 0 ? [] : ["", ...judged]),
    "",
  ].join("\n");
}

function rowOf({ id, verdict, metrics }: CaseResult): string {
  const { pass_rate, steps, tool_calls, tokens, cost_microcents, is_unpriced } = metrics;
  // What is known of it would be read as what it came to.
  const cost = is_unpriced === true ? "unknown" : dollars(cost_microcents);
  const rate = `${Math.round(pass_rate * 100)} %`;
  return `| ${cell(id)} | ${MARKS[verdict]} ${verdict} | ${rate} | ${steps} | ${tool_calls} | ${tokens} | ${cost} |`;
}

function explain({ id, trials, regressions = [] }: CaseResult): readonly string[] {
  const found = trials.flatMap(({ checks }, index) =>
    checks.flatMap(({ name, verdict, message }) =>
      verdict === "passed"
        ? []
        : [`- ${MARKS[verdict]} ${cell(name)}${trials.length > 1 ? ` (trial ${index + 1})` : ""}: ${cell(message)}`],
    ),
  );
  const worse = regressions.map((each) => `- ${MARKS[each.verdict]} ${cell(describeRegression(each))}`);
  return [`**${cell(id)}**`, "", ...found, ...worse, ""];
}

const MICROCENTS_PER_DOLLAR = 100_000_000;

function dollars(microcents: number): string {
  return (microcents / MICROCENTS_PER_DOLLAR).toFixed(4);
}

/** Text of a run cannot end a cell, and is neither HTML nor a mention. */
function cell(text: string): string {
  return text
    .replaceAll(/\s+/g, " ")
    .replaceAll("\\", "\\\\")
    .replaceAll(/[|`*_[\]]/g, (found) => `\\${found}`)
    .replaceAll("<", "&lt;")
    .replaceAll("@", "@\u200b");
}
