import type { Termination } from "@reprise/contracts";
import { evaluateStop } from "./evaluate-stop.ts";
import type { RunWorkspace } from "./run-workspace.ts";
import { isFinal, type StepSummary } from "./summarise-step.ts";

/** How a run ends after a step; firmly, or unless somebody has something to add. */
export interface Ending {
  readonly termination: Termination;
  readonly isFirm: boolean;
}

/** Whether a step was the last: a stop policy has had enough, or the model has nothing more to say. */
export function endingOf(workspace: RunWorkspace, step: StepSummary): Ending | undefined {
  const isOver = isFinal(workspace, step);
  const stop = evaluateStop(workspace, step, isOver);
  if (stop !== undefined) return { termination: { type: "stopped", value: stop }, isFirm: true };
  if (!isOver) return undefined;
  // Where one more step would be one too many, what came meanwhile is for a run of its own.
  const isFirm = !workspace.mail.has("steering") || evaluateStop(workspace, step, false) !== undefined;
  // An answer that was cut off is not one the model ended.
  const code = "output_truncated";
  return { termination: step.is_truncated ? { type: "stopped", value: { code } } : { type: "natural_end" }, isFirm };
}
