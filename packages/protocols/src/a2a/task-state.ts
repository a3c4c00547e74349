import { type RunRecord, resumesByItself, type Termination, terminationCode } from "@reprise/contracts";
import type { A2aTaskState } from "./wire.ts";

/** The termination codes of a run whose task is `COMPLETED`. */
export const COMPLETED_CODES: readonly string[] = [
  "natural",
  "behavior_requested",
  "stopped:tool_called",
  "stopped:content_matched",
];

/** The termination codes of a run whose task is `CANCELED`: it was cancelled, or a later message took its place. */
export const CANCELED_CODES: readonly string[] = ["cancelled", "stopped:superseded"];

/** The termination code of a run whose task is `REJECTED`: a stop policy or a backend declined the work with the code `rejected`. */
export const REJECTED_CODE = "stopped:rejected";

/** The state of the task of a run that has ended with a code. Limits that stop a run make it fail: its work is not done. */
function stateOfCode(code: string | undefined): A2aTaskState {
  if (code !== undefined && COMPLETED_CODES.includes(code)) return "TASK_STATE_COMPLETED";
  if (code !== undefined && CANCELED_CODES.includes(code)) return "TASK_STATE_CANCELED";
  return code === REJECTED_CODE ? "TASK_STATE_REJECTED" : "TASK_STATE_FAILED";
}

export function stateOfTermination(termination: Exclude<Termination, { type: "suspended" }>): A2aTaskState {
  return stateOfCode(terminationCode(termination));
}

/** The state of the task of a run. A run that waits for a model or for another run is at work: no client can help it. */
export function stateOfRun(run: RunRecord): A2aTaskState {
  if (run.status === "done") return stateOfCode(run.termination_code);
  return run.status === "waiting" && !resumesByItself(run) ? "TASK_STATE_INPUT_REQUIRED" : "TASK_STATE_WORKING";
}
