import type { Env, RunProgram } from "@reprise/contracts";
import {
  compareExperiments,
  cursorOf,
  deleteExperiment,
  listCaseResults,
  listExperiments,
  loadExperimentSummary,
  saveCase,
} from "@reprise/evals";
import { createNodeEnv } from "@reprise/node";
import type { Evaluations } from "@reprise/server";
import { createLazyWorkflows, withWorkflows } from "../lazy-workflows.ts";

export interface EvaluationsOptions {
  readonly env?: Env;
  /** Programs of agents that are run by one, beside workflows. */
  readonly programs?: readonly RunProgram[];
}

/** Evaluations over HTTP and in the studio: `createServer({ runtime, evals: evaluations() })`. */
export function evaluations({ env = createNodeEnv(), programs = [] }: EvaluationsOptions = {}): Evaluations {
  const known = withWorkflows(programs, createLazyWorkflows(env));
  return {
    saveCase: (recording, wanted) => saveCase(recording, { ...wanted, env, programs: known }),
    listExperiments,
    cursorOf,
    loadExperiment: loadExperimentSummary,
    listCases: listCaseResults,
    compareExperiments,
    deleteExperiment,
  };
}
