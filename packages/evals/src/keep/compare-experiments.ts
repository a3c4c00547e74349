import type { Documents } from "@reprise/contracts";
import { type CheckResult, compareVerdicts, type Verdict } from "../check/check-result.ts";
import type { CaseMetrics, CaseResult } from "../evaluate/experiment.ts";
import { checkOfRegression } from "../report/describe-regression.ts";
import { type ExperimentSummary, loadExperimentSummary, readCaseResults } from "./experiments.ts";

/** How the verdict of a case differs. A case that only one experiment has was added or removed. */
export type CaseChange = "worse" | "removed" | "better" | "added" | "same";

/** What a case came to in one experiment. */
export interface CaseOutcome {
  readonly verdict: Verdict;
  readonly metrics: CaseMetrics;
  /** The checks that did not pass, in any trial, without their values; those that failed first. */
  readonly problems: readonly Pick<CheckResult, "name" | "verdict" | "message">[];
}

export interface CaseComparison {
  readonly id: string;
  readonly change: CaseChange;
  readonly before?: CaseOutcome;
  readonly after?: CaseOutcome;
}

/** Two experiments, case by case. */
export interface ExperimentComparison {
  readonly before: ExperimentSummary;
  readonly after: ExperimentSummary;
  readonly totals: Readonly<Record<CaseChange, number>>;
  /** What became worse first. */
  readonly cases: readonly CaseComparison[];
}

/** By what a reader wants to see first. */
const CHANGES: readonly CaseChange[] = ["worse", "removed", "better", "added", "same"];

/** Compares two kept experiments by the ids of their cases; `EVAL_NOT_FOUND`. */
export async function compareExperiments(
  documents: Documents,
  beforeId: string,
  afterId: string,
): Promise<ExperimentComparison> {
  const before = await loadExperimentSummary(documents, beforeId);
  const after = await loadExperimentSummary(documents, afterId);
  // Results are long, and what is kept of them here is short.
  const outcomes = new Map<string, CaseOutcome>();
  for await (const result of readCaseResults(documents, beforeId)) outcomes.set(result.id, outcomeOf(result));
  const cases: CaseComparison[] = [];
  for await (const result of readCaseResults(documents, afterId)) {
    cases.push(compareOutcomes(result.id, outcomes.get(result.id), outcomeOf(result)));
    outcomes.delete(result.id);
  }
  for (const [id, outcome] of outcomes) cases.push(compareOutcomes(id, outcome, undefined));
  const count = (change: CaseChange): number => cases.filter((compared) => compared.change === change).length;
  const sorted = cases.toSorted((one, other) => CHANGES.indexOf(one.change) - CHANGES.indexOf(other.change));
  const totals = {
    worse: count("worse"),
    removed: count("removed"),
    better: count("better"),
    added: count("added"),
    same: count("same"),
  };
  return { before, after, totals, cases: sorted };
}

function compareOutcomes(id: string, before: CaseOutcome | undefined, after: CaseOutcome | undefined): CaseComparison {
  const change = changeOf(before, after);
  return { id, change, ...(before !== undefined && { before }), ...(after !== undefined && { after }) };
}

function changeOf(before: CaseOutcome | undefined, after: CaseOutcome | undefined): CaseChange {
  if (before === undefined) return "added";
  if (after === undefined) return "removed";
  // Between equal verdicts the share of trials that passed decides.
  const order = compareVerdicts(before.verdict, after.verdict) || after.metrics.pass_rate - before.metrics.pass_rate;
  if (order === 0) return "same";
  return order > 0 ? "better" : "worse";
}

function outcomeOf({ verdict, metrics, trials, regressions = [] }: CaseResult): CaseOutcome {
  const found = new Map<string, CaseOutcome["problems"][number]>();
  for (const check of trials.flatMap(({ checks }) => checks)) {
    if (check.verdict === "passed") continue;
    const { name, message } = check;
    found.set(`${name}\n${message}`, { name, verdict: check.verdict, message });
  }
  const all = [...found.values(), ...regressions.map(checkOfRegression)];
  return { verdict, metrics, problems: all.toSorted((one, other) => compareVerdicts(other.verdict, one.verdict)) };
}
