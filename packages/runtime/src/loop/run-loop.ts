import type { Termination } from "@reprise/contracts";
import { applyDecisions } from "./apply-decisions.ts";
import { recoverCalls } from "./recover-calls.ts";
import { runStep } from "./run-step.ts";
import type { RunWorkspace } from "./run-workspace.ts";
import { runToolRound } from "./tool-round.ts";

/**
 * Drives one activation of a run: decisions, model, tools, commit; again until nothing is left to do. Returns why it ended;
 * throws only when the run was cancelled, its claim was lost, or something broke. The caller commits the end.
 */
export async function runLoop(workspace: RunWorkspace): Promise<Termination> {
  let terminate = await recoverCalls(workspace);
  for (;;) {
    workspace.signal.throwIfAborted();
    terminate = (await applyDecisions(workspace)) ?? terminate;
    if (terminate !== undefined) return { type: "behavior_requested" };
    if (workspace.openCalls.length > 0) return { type: "suspended" };
    if (workspace.run.steps >= workspace.agent.maxRounds)
      return { type: "stopped", value: { code: "max_rounds_reached" } };

    const requested = await runStep(workspace);
    if (requested.length === 0) return { type: "natural_end" };
    terminate = await runToolRound(workspace, requested);
  }
}
