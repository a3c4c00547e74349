import { isOwnQuestion, type Termination, type ToolCallRecord } from "@reprise/contracts";
import { runPhase } from "../phases/run-phase.ts";
import { evaluateStop, keepActiveTime } from "./evaluate-stop.ts";
import { applyDecisions } from "./execute-calls.ts";
import { takeHandoff } from "./hand-off.ts";
import { recoverCalls } from "./recover-calls.ts";
import { hasToldEnd } from "./run-family.ts";
import { runStep } from "./run-step.ts";
import type { RunWorkspace } from "./run-workspace.ts";
import { checkOutput } from "./structured-output.ts";
import { isFinal, recallStep, type StepSummary } from "./summarise-step.ts";
import { takeSteering } from "./take-steering.ts";
import { runToolRound } from "./tool-round.ts";
import { endModelWait } from "./wait-for-model.ts";

/**
 * Drives one activation of a run: decisions, model, tools, commit; again until nothing is left to do. Returns why it ended, or that
 * another agent takes over; throws only when the run was cancelled, its claim was lost, or something broke. The caller commits the end.
 */
export async function runLoop(workspace: RunWorkspace): Promise<Termination | Handoff> {
  takeHandoff(workspace, await runPhase(workspace, "run_start", { activation: activationOf(workspace) }));
  let terminate = await recoverCalls(workspace);
  let step = recallStep(workspace);
  /** Whether the last step is of an earlier owner. */
  let isRecalled = true;
  for (;;) {
    workspace.signal.throwIfAborted();
    terminate = (await applyDecisions(workspace)) ?? terminate;
    if (terminate !== undefined) return requestedEnd(terminate);
    if (workspace.ending !== undefined) return workspace.ending;
    // A decision may have published an answer that waited.
    step ??= recallStep(workspace);

    const unstarted = callsToStart(workspace);
    if (unstarted.length > 0) {
      terminate = await runToolRound(workspace, unstarted);
      continue;
    }
    if (mustWait(workspace, step)) {
      // A decision comes first now, whatever the run waited for before.
      endModelWait(workspace);
      keepActiveTime(workspace);
      return { type: "suspended" };
    }

    const ending = step === undefined ? undefined : endingOf(workspace, step);
    if (workspace.run.handoff !== undefined && ending?.termination.type !== "stopped") return { type: "handoff" };
    const output = ending?.termination.type === "natural_end" ? checkOutput(workspace) : "fits";
    if (typeof output === "object") return output;
    if (output === "fits") {
      if (ending?.isFirm === true) return ending.termination;
      if (ending !== undefined && isRecalled && (await isToldAbove(workspace))) return ending.termination;
      const isSteered = await takeSteering(workspace);
      if (ending !== undefined && !isSteered) return ending.termination;
    }

    isRecalled = false;
    const taken = await runStep(workspace);
    if (taken.kind === "terminated") return requestedEnd(taken.reason);
    if (taken.kind === "paused") continue;
    if (taken.kind === "reviewed") {
      step = undefined;
      continue;
    }
    if (taken.kind === "waiting") {
      keepActiveTime(workspace);
      return { type: "suspended" };
    }
    step = taken.step;
    if (taken.calls.length > 0) terminate = await runToolRound(workspace, taken.calls, taken.round);
  }
}

/**
 * Whether an owner that died had told the run above how this run ended. Then it is over: messages that came since are a run of their own,
 * because nobody above would hear of another end.
 */
async function isToldAbove({ run, claim, store, effects }: RunWorkspace): Promise<boolean> {
  if (claim.kind !== "recover" || run.root_run_id === undefined || effects.loopVersion < 3) return false;
  const question = { kind: "told", of: run.run_id } as const;
  return effects.perform(question, () => hasToldEnd(store, run));
}

/** Another agent is to take over where the loop stopped. */
export interface Handoff {
  readonly type: "handoff";
}

/** An owner that closed has given its runs back: nothing of them was lost. */
function activationOf({ claim, run }: RunWorkspace): "start" | "resume" | "recover" {
  return claim.kind === "recover" && run.recoveries === 0 ? "resume" : claim.kind;
}

/** Calls that were asked for and never begun: left by an owner that is gone, or behind one that waited for a decision. */
function callsToStart({ openCalls, toolExecutionMode }: RunWorkspace): readonly ToolCallRecord[] {
  const unstarted = openCalls.filter(({ status }) => status === "new");
  const isHeldUp = toolExecutionMode === "sequential" && unstarted.length < openCalls.length;
  return isHeldUp ? [] : unstarted;
}

/** Whether the model can get nothing new before a person decides. */
function mustWait(workspace: RunWorkspace, step: StepSummary | undefined): boolean {
  const { openCalls, agent, lastMessage, run } = workspace;
  if (openCalls.length === 0) return false;
  if (openCalls.some(isOwnQuestion)) return true;
  // The agent that takes over does not have the tools of these calls.
  if (run.handoff !== undefined) return true;
  if (agent.spec.partial_suspension === "wait") return true;
  // The model has said all it had to say, or asked and got no answer at all.
  return (step !== undefined && isFinal(workspace, step)) || lastMessage?.role === "assistant";
}

/** The end a tool or a plugin asked for, with its reason when it gave one. */
function requestedEnd(reason: string): Termination {
  return reason === "" ? { type: "behavior_requested" } : { type: "behavior_requested", detail: reason };
}

/** How a run ends after a step; finally, or unless a message arrives before. */
interface Ending {
  readonly termination: Termination;
  readonly isFirm: boolean;
}

/** Whether a step was the last: a stop policy has had enough, or the model has nothing more to say. */
function endingOf(workspace: RunWorkspace, step: StepSummary): Ending | undefined {
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
