export type { CaseRedaction, CaseSource, EvalCase } from "./case/eval-case.ts";
export { CASE_FORMAT } from "./case/eval-case.ts";
export type {
  CallMatch,
  CheckKind,
  EvalLimits,
  Expectations,
  ExpectedCall,
  JudgeExpectation,
  OutputExpectation,
  StateExpectation,
} from "./case/expectations.ts";
export type { Judgement } from "./case/judgement.ts";
export { readCase } from "./case/read-case.ts";
export type { CheckResult, Verdict } from "./check/check-result.ts";
export type { ObservedApproval, ObservedCall, ObservedRun } from "./check/observe-run.ts";
export type { Baseline, Tolerance } from "./evaluate/baseline.ts";
export { BASELINE_FORMAT, baselineOf, readBaseline } from "./evaluate/baseline.ts";
export type { JudgeSource } from "./evaluate/evaluate-case.ts";
export type {
  CaseMetrics,
  CaseResult,
  Experiment,
  Regression,
  RunSummary,
  TrialResult,
} from "./evaluate/experiment.ts";
export type { ExperimentOptions } from "./evaluate/run-experiment.ts";
export { runExperiment } from "./evaluate/run-experiment.ts";
export type { EvalAttributes, EvalSpan, EvalTelemetry, EvalTracer } from "./evaluate/trace-trial.ts";
export type { TrialJudgement } from "./judge/trial-judgement.ts";
export { withJudgements } from "./judge/with-judgements.ts";
export type { CaseChange, CaseComparison, CaseOutcome, ExperimentComparison } from "./keep/compare-experiments.ts";
export { compareExperiments } from "./keep/compare-experiments.ts";
export type { ExperimentListOptions, ExperimentPage, ExperimentSummary } from "./keep/experiments.ts";
export {
  cursorOf,
  deleteExperiment,
  keepExperiment,
  listCaseResults,
  listExperiments,
  loadExperiment,
  loadExperimentSummary,
} from "./keep/experiments.ts";
export type { Candidate } from "./mine/candidate.ts";
export { readCandidate } from "./mine/candidate.ts";
export type { DifferenceKind, MinedDifference, MinedRun, MineOptions, Mining } from "./mine/mine-runs.ts";
export { mineRuns } from "./mine/mine-runs.ts";
export type { EvalMode } from "./play/eval-mode.ts";
export type { PlayedRun, PlayOptions } from "./play/play-case.ts";
export type { LivePermissions, PlayCounts, PlayNote, PlayNoteKind } from "./play/played-world.ts";
export { silentProvider } from "./play/silent-provider.ts";
export { describeJudgements } from "./report/describe-judgements.ts";
export { describeRegression } from "./report/describe-regression.ts";
export { writeJunit } from "./report/junit.ts";
export { writeMarkdown } from "./report/markdown.ts";
export type { RedactionOptions } from "./save/redact-recording.ts";
export type { RedactionRule } from "./save/redaction-rules.ts";
export type { SaveCaseOptions } from "./save/save-case.ts";
export { saveCase } from "./save/save-case.ts";
