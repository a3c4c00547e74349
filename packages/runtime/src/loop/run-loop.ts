import type { Termination, ToolCallRecord } from "@reprise/contracts";
import { runPhase } from "../phases/run-phase.ts";
import { evaluateStop } from "../stop/evaluate-stop.ts";
import { applyDecisions } from "./apply-decisions.ts";
import { recoverCalls } from "./recover-calls.ts";
import { runStep } from "./run-step.ts";
import type { RunWorkspace } from "./run-workspace.ts";
import { isFinal, recallStep, type StepSummary } from "./summarise-step.ts";
import { takeSteering } from "./take-steering.ts";
import { runToolRound } from "./tool-round.ts";

/**
 * Drives one activation of a run: decisions, model, tools, commit; again until nothing is left to do. Returns why it ended;
 * throws only when the run was cancelled, its claim was lost, or something broke. The caller commits the end.
 */
export async function runLoop(workspace: RunWorkspace): Promise<Termination> {
  await runPhase(workspace, "run_start");
  let terminate = await recoverCalls(workspace);
  let step = recallStep(workspace);
  for (;;) {
    workspace.signal.throwIfAborted();
    terminate = (await applyDecisions(workspace)) ?? terminate;
    if (terminate !== undefined) return { type: "behavior_requested" };

    const unstarted = callsToStart(workspace);
    if (unstarted.length > 0) {
      terminate = await runToolRound(workspace, unstarted);
      continue;
    }
    if (mustWait(workspace)) return { type: "suspended" };

    const stop = step === undefined ? undefined : evaluateStop(workspace, step);
    if (stop !== undefined) return { type: "stopped", value: stop };
    await takeSteering(workspace);
    if (step !== undefined && isFinal(workspace, step)) return endOf(step);

    const taken = await runStep(workspace);
    if (taken.kind === "terminated") return { type: "behavior_requested" };
    step = taken.step;
    if (taken.calls.length > 0) terminate = await runToolRound(workspace, taken.calls, taken.round);
  }
}

/** Calls that were asked for and never begun: left by an owner that is gone, or behind one that waited for a decision. */
function callsToStart({ openCalls, agent }: RunWorkspace): readonly ToolCallRecord[] {
  const unstarted = openCalls.filter(({ status }) => status === "new");
  const isHeldUp = agent.spec.tool_execution_mode === "sequential" && unstarted.length < openCalls.length;
  return isHeldUp ? [] : unstarted;
}

/** Whether the model can be given nothing new before somebody decides. */
function mustWait({ openCalls, agent, lastMessage }: RunWorkspace): boolean {
  if (openCalls.length === 0) return false;
  if (agent.spec.partial_suspension === "wait") return true;
  // The model has spoken last, or asked last and got no answer at all.
  return lastMessage === undefined || lastMessage.role === "assistant";
}

/** An answer that was cut off is not one the model ended. */
function endOf({ is_truncated }: StepSummary): Termination {
  return is_truncated ? { type: "stopped", value: { code: "output_truncated" } } : { type: "natural_end" };
}
