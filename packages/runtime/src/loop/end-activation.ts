import {
  advanceRun,
  awaitsRun,
  continuesByItself,
  type EventData,
  type HandCall,
  RepriseError,
  type RunRecord,
  type Spending,
  type Termination,
  terminationCode,
  textOf,
  toolFailure,
  toRepriseError,
} from "@reprise/contracts";
import type { Json } from "@reprise/state";
import { hasAllotment, returnBelow, returnQueued } from "../budget/return-allotments.ts";
import { runPhase } from "../phases/run-phase.ts";
import { addSpending, NOTHING, spentInTree } from "../run/spending.ts";
import { runStateOps } from "../thread/run-state.ts";
import { dropHandoff } from "./hand-off.ts";
import { answerCall, describeEnd, endRunWait, isWaitedFor, stopChildren, tellThread } from "./run-family.ts";
import { cancelRemote } from "./run-remote.ts";
import type { RunWorkspace } from "./run-workspace.ts";
import { endCall } from "./settle-call.ts";
import { lastAnswer, readOutput } from "./structured-output.ts";
import { endModelWait } from "./wait-for-model.ts";

/** Closes an activation: the run waits, or is done. It is announced after the commit. */
export async function endActivation(workspace: RunWorkspace, termination: Termination, code?: string): Promise<void> {
  const isSuspended = termination.type === "suspended";
  endRunWait(workspace);
  const mayHaveChildren = canHaveChildren(workspace);
  let below: readonly RunRecord[] | undefined;
  if (!isSuspended) cancelOpenCalls(workspace, termination);
  await leavePhases(workspace, termination);
  if (!isSuspended) {
    if (mayHaveChildren) below = await leaveChildren(workspace, termination);
    await returnOwn(workspace);
    await notifyParent(workspace, termination);
  }
  const detail = detailOf(termination);
  // Readers of a run that waits for a model, for runs below it or for a time stay: it resumes by itself, in the same stream.
  const { openCalls } = workspace;
  const awaitsRuns = isSuspended && openCalls.length > 0 && openCalls.every(continuesByItself);
  const isWaiting = awaitsRuns || (isSuspended && workspace.run.model_wait !== undefined);
  const waitCode = awaitsRuns ? (openCalls.some(awaitsRun) ? "run_waiting" : "time_waiting") : "model_waiting";
  if (!isSuspended) {
    endModelWait(workspace);
    dropHandoff(workspace);
  }
  const error_code = termination.type === "error" ? termination.code : undefined;
  const spent = isSuspended ? {} : await addUp(workspace, below);
  workspace.setRun({
    ...advanceRun(workspace.run, isSuspended ? "suspend" : "finish"),
    termination_code: code ?? (isWaiting ? waitCode : terminationCode(termination)),
    ...(awaitsRuns && { awaits_runs: true }),
    ...(detail !== undefined && { termination_detail: detail }),
    ...(error_code !== undefined && { error_code }),
    updated_at: workspace.now,
  });
  workspace.addPatch("runtime", runStateOps(workspace.run, isSuspended ? undefined : workspace.run.termination_code));
  const response = isSuspended ? undefined : lastAnswer(workspace.modelMessages(), workspace.run.run_id);
  const result = response === undefined ? {} : { result: { response, ...outputOf(workspace, termination, response) } };
  if (!isWaiting) workspace.emitOnCommit("run_finish", { ...result, termination, ...spent });
  await workspace.commit("run_finished");
  if (!isSuspended) workspace.journal.end(workspace.run);
}

/** The last phase. A run that must end, ends: then a plugin that fails is only heard of. */
async function leavePhases(workspace: RunWorkspace, termination: Termination): Promise<void> {
  const mustEnd = termination.type === "error" || termination.type === "cancelled";
  try {
    const { plan } = workspace;
    if (plan.kind === "backend" && termination.type === "cancelled") {
      await cancelRemote(workspace, plan.spec, plan.backend);
    }
    await runPhase(workspace, "run_end", { termination });
  } catch (error) {
    if (!mustEnd) throw error;
    const details = { run_id: workspace.run.run_id, problem: toRepriseError(error).message };
    workspace.services.env.log("error", "the end of a run went without its plugins", details);
  }
}

/** What the run and the runs below it took. They have told their parents all of it before their parents hear of their end. */
async function addUp(
  workspace: RunWorkspace,
  below: readonly RunRecord[] | undefined,
): Promise<Pick<EventData["run_finish"], "spent">> {
  const { run, store, effects } = workspace;
  if (run.has_children !== true) return {};
  // Made of numbers; its interface hides it.
  const question = { kind: "below", of: run.run_id, encode: (found: Spending) => ({ ...found }) } as const;
  const total = await effects.perform(question, () => spentInTree(store, run, below));
  workspace.setRun({ total });
  return { spent: { own: addSpending(NOTHING, run), total } };
}

/** A run that ends leaves no call without a result: the thread must make sense to the next model call. */
function cancelOpenCalls(workspace: RunWorkspace, termination: Termination): void {
  const reason = terminationCode(termination);
  for (const call of workspace.openCalls) {
    const message = `The run ended (${reason}) before ${call.tool_id} was done.`;
    workspace.emitOnCommit("tool_call_cancelled", { id: call.call_id, reason }, call.step_id);
    endCall(workspace, call, toolFailure(call.tool_id, "cancelled", message), "cancel");
  }
}

/**
 * Whether there may be runs below. An open call may have started one and not have been committed since: its process died, or it was cancelled.
 * The first version of the loop knew no runs below.
 */
function canHaveChildren({ run, openCalls, effects }: RunWorkspace): boolean {
  return run.has_children === true || (effects.loopVersion > 1 && openCalls.length > 0);
}

/** Before the end is committed: a crash in between leaves the run open, and its next owner stops them again. */
async function leaveChildren(
  workspace: RunWorkspace,
  { type }: Termination,
): Promise<readonly RunRecord[] | undefined> {
  const { run, claim, store, effects, services, now } = workspace;
  const question = { kind: "notify", of: `${run.run_id}-children`, encode: () => undefined } as const;
  return effects.perform(question, async () => {
    const below = await stopChildren(store, run, { isCancelled: type === "cancelled", now });
    await returnBelow(services, claim.tenant, run);
    if (type === "cancelled") await returnQueued(services, claim.tenant, run);
    return below;
  });
}

/** Before the run above hears of the end: it may need what is returned for its next step. */
async function returnOwn({ run, budget, effects }: RunWorkspace): Promise<void> {
  if (!hasAllotment(run)) return;
  const { run_id } = run;
  const question = { kind: "budget", of: run_id, encode: () => undefined } as const;
  await effects.perform(question, async () => budget?.change({ type: "return", run_id }));
}

function detailOf(termination: Termination): string | undefined {
  if (termination.type === "error") return termination.value;
  if (termination.type === "behavior_requested" || termination.type === "cancelled") return termination.detail;
  return termination.type === "stopped" ? termination.value.detail : undefined;
}

/** The answer as the JSON it was asked to be. Only a run that ended by itself has one: its answer was checked. */
function outputOf(workspace: RunWorkspace, { type }: Termination, response: string): { readonly output?: Json } {
  const schema = type === "natural_end" ? workspace.spec.output_schema : undefined;
  const output = schema === undefined ? undefined : readOutput(schema, response);
  return output?.ok === true ? { output: output.value } : {};
}

/**
 * Tells the thread of the run above that this run is over, in a message of its own that a run at work there takes in, and that is a
 * run of its own otherwise. Told before the run ends, so that no crash loses it: what it says is committed by then, and an owner
 * that takes over says the same under the same key, which counts once. A run that a call waits for answers the call instead.
 */
async function notifyParent(workspace: RunWorkspace, termination: Termination): Promise<void> {
  const { run, effects, services } = workspace;
  const { parent_run_id, parent_thread_id, parent_call_id } = run;
  if (parent_run_id === undefined || parent_thread_id === undefined || parent_thread_id === run.thread_id) return;
  // A tool that started a run by itself waits for it by itself.
  if (parent_call_id !== undefined && run.root_run_id === undefined) return;
  // A run that is cancelled while it waits is at work until its end: a commit of a waiting run would give its claim back.
  if (workspace.run.status === "waiting") workspace.replaceRun(advanceRun(workspace.run, "resume"));
  if (workspace.hasChanges) await workspace.commit("assistant_turn");
  const { status, error } = describeEnd(workspace, termination);
  const told = { status, ...(error !== undefined && { error }), text: sayEnd(workspace, termination) };
  const question = { kind: "notify", of: run.run_id, encode: () => undefined } as const;
  await effects.perform(question, async () => {
    try {
      if (isWaitedFor(run)) await answerCall(workspace, termination);
      else await tellThread(workspace.store, run, told);
    } catch (error) {
      // An unavailable store is retried. A deleted parent thread or agent needs no notice.
      if (RepriseError.is(error) && error.isRetryable) throw error;
      const { message: problem } = toRepriseError(error);
      services.env.log("warn", "the run above was not told that a run is over", { run_id: run.run_id, problem });
    }
  });
}

function sayEnd(workspace: RunWorkspace, termination: Termination): string {
  const { run } = workspace;
  if (run.policy?.by_hand !== undefined) return sayResult(workspace, run.policy.by_hand, termination);
  const ending = `Run ${run.run_id} of agent ${run.agent_id} is over: ${terminationCode(termination)}.`;
  const said = termination.type === "error" ? termination.value : lastAnswer(workspace.modelMessages(), run.run_id);
  return said === undefined ? ending : `${ending}\n\n${said}`;
}

/** The end of a run that made one call: the result counts, not how the run ended. */
function sayResult(workspace: RunWorkspace, { tool_id }: HandCall, termination: Termination): string {
  const { run_id } = workspace.run;
  const result = workspace
    .modelMessages()
    .findLast(({ role, metadata }) => role === "tool" && metadata?.run_id === run_id);
  const isWell = termination.type !== "error" && termination.type !== "cancelled";
  const status = result?.metadata?.status === "error" ? "failed" : "completed";
  const ending = `Task ${run_id}, a call of ${tool_id}, is over: ${isWell ? status : terminationCode(termination)}.`;
  const said = termination.type === "error" ? termination.value : result === undefined ? "" : textOf(result);
  return said === "" ? ending : `${ending}\n\n${said}`;
}
