import type { Documents } from "@reprise/contracts";
import type { RunRecording } from "@reprise/runtime";

/** What is asked for with a run that is to become a case. */
export interface NewCase {
  readonly id?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  /** The last step of the case; the whole run unless given. */
  readonly upToStep?: number;
  /** What to take out beside what the rules find. */
  readonly redact?: { readonly texts?: readonly string[]; readonly fields?: readonly string[] };
}

/** What is known here of an experiment. It has more fields, which the API document describes. */
export interface ListedExperiment {
  readonly id: string;
  readonly started_at: number;
  readonly case_count: number;
}

/** Where a list of experiments continues, and how long it may be. */
export interface ExperimentQuery {
  readonly after?: string;
  readonly limit?: number;
}

/** Two experiments, and how each case differs. */
export interface ComparedExperiments {
  readonly before: ListedExperiment;
  readonly after: ListedExperiment;
  readonly totals: object;
  readonly cases: readonly object[];
}

/**
 * Cases and kept experiments. This package knows neither: `evaluations` of `reprise/evals` is this. Documents are those of the tenant who
 * asks. An experiment that is not there is an `EVAL_NOT_FOUND`, a run that cannot be a case an `EVAL_CASE_INVALID`.
 */
export interface Evaluations {
  /** A finished run as a case, without what is private. */
  saveCase(recording: RunRecording, wanted: NewCase): Promise<object>;
  /** The newest first. */
  listExperiments(documents: Documents, query: ExperimentQuery): Promise<ExperimentList>;
  /** The `after` that continues a list behind an experiment. */
  cursorOf(experiment: ListedExperiment): string;
  loadExperiment(documents: Documents, id: string): Promise<ListedExperiment>;
  /** Some cases of an experiment, in its order, from the one at `offset`. */
  listCases(documents: Documents, id: string, page: CasePage): Promise<readonly object[]>;
  compareExperiments(documents: Documents, beforeId: string, afterId: string): Promise<ComparedExperiments>;
  deleteExperiment(documents: Documents, id: string): Promise<void>;
}

export interface ExperimentList {
  readonly items: readonly ListedExperiment[];
  /** Absent when there are no more. */
  readonly next?: string;
}

export interface CasePage {
  readonly offset: number;
  readonly limit: number;
}
