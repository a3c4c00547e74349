import { advanceRun, type Termination, terminationCode, toolFailure, toRepriseError } from "@reprise/contracts";
import type { Json } from "@reprise/state";
import { runPhase } from "../phases/run-phase.ts";
import { runStateOps } from "../thread/run-state.ts";
import { notifyParent } from "./notify-parent.ts";
import { cancelRemote } from "./run-remote.ts";
import type { RunWorkspace } from "./run-workspace.ts";
import { endCall } from "./settle-call.ts";
import { lastAnswer, readOutput } from "./structured-output.ts";
import { endModelWait } from "./wait-for-model.ts";

/** Closes an activation: the run waits, or is done. Nobody hears of it before it is committed. */
export async function endActivation(workspace: RunWorkspace, termination: Termination, code?: string): Promise<void> {
  const isSuspended = termination.type === "suspended";
  if (!isSuspended) cancelOpenCalls(workspace, termination);
  await leavePhases(workspace, termination);
  if (!isSuspended) await notifyParent(workspace, termination);
  const detail = detailOf(termination);
  // Readers of a run that waits for a model stay: time answers it, and the answer comes in the same stream.
  const isWaiting = isSuspended && workspace.run.model_wait !== undefined;
  if (!isSuspended) endModelWait(workspace);
  const error_code = termination.type === "error" ? termination.code : undefined;
  workspace.setRun({
    ...advanceRun(workspace.run, isSuspended ? "suspend" : "finish"),
    termination_code: code ?? (isWaiting ? "model_waiting" : terminationCode(termination)),
    ...(detail !== undefined && { termination_detail: detail }),
    ...(error_code !== undefined && { error_code }),
    updated_at: workspace.now,
  });
  workspace.addPatch("runtime", runStateOps(workspace.run, isSuspended ? undefined : workspace.run.termination_code));
  const response = isSuspended ? undefined : lastAnswer(workspace.modelMessages(), workspace.run.run_id);
  const result = response === undefined ? {} : { result: { response, ...outputOf(workspace, termination, response) } };
  if (!isWaiting) workspace.emitOnCommit("run_finish", { ...result, termination });
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

/** A run that ends leaves no call without a result: the thread must make sense to the next model call. */
function cancelOpenCalls(workspace: RunWorkspace, termination: Termination): void {
  const reason = terminationCode(termination);
  for (const call of workspace.openCalls) {
    const message = `The run ended (${reason}) before ${call.tool_id} was done.`;
    workspace.emitOnCommit("tool_call_cancelled", { id: call.call_id, reason }, call.step_id);
    endCall(workspace, call, toolFailure(call.tool_id, "cancelled", message), "cancel");
  }
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
