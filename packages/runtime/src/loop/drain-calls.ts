import { RepriseError } from "@reprise/contracts";
import { decideCalls, findDecisions } from "./apply-decisions.ts";
import type { CallExecutor } from "./call-executor.ts";
import type { RunWorkspace } from "./run-workspace.ts";

/**
 * Sees the calls of an executor through. What has finished is committed while others still run, so that a crash cannot make
 * it unknown again; a decision that comes meanwhile lets its own call start, when the agent works that way.
 */
export async function drainCalls(workspace: RunWorkspace, executor: CallExecutor): Promise<void> {
  const isStreaming = workspace.toolExecutionMode === "parallel_streaming";
  let isOwed = false;
  while (executor.isBusy) {
    isOwed = (await settleNext(workspace, executor, isStreaming)) || isOwed;
    if (isStreaming && workspace.mail.take("decisions")) await startDecided(workspace, executor);
    // Only for the sake of a result: a commit counts as progress.
    if (!isOwed || !executor.isBusy || !workspace.hasChanges) continue;
    // What ends in the same breath is committed together.
    await breathe(workspace, executor);
    if (executor.hasFinished) continue;
    await workspace.commit("tool_results");
    isOwed = false;
  }
}

/** A call that needs no time is over after its place and its result have entered, each in a turn of its own. */
const BREATH_TURNS = 3;

async function breathe({ effects, services, run }: RunWorkspace, executor: CallExecutor): Promise<void> {
  await effects.perform({ kind: "pause", of: run.run_id }, async () => {
    for (let turn = 0; turn < BREATH_TURNS && !executor.hasFinished; turn += 1) await services.env.yield();
  });
}

/** What a tool did is a fact, also when a plugin fails that was to hear of it: it is committed before the run fails. */
async function settleNext(workspace: RunWorkspace, executor: CallExecutor, isStreaming: boolean): Promise<boolean> {
  try {
    return await executor.settleNext(isStreaming ? workspace.mail : undefined);
  } catch (error) {
    const isOfPlugin = RepriseError.is(error, "PLUGIN_FAILED") || RepriseError.is(error, "INVALID_ACTION");
    if (isOfPlugin && workspace.hasChanges && !workspace.signal.aborted) await workspace.commit("tool_results");
    throw error;
  }
}

async function startDecided(workspace: RunWorkspace, executor: CallExecutor): Promise<void> {
  const found = await findDecisions(workspace);
  // An interrupted run begins nothing: what was decided is left to the end of the run.
  if (workspace.signal.aborted) return;
  const { isChanged, runnable } = await decideCalls(workspace, found);
  if (!isChanged) return;
  await workspace.commit(runnable.length > 0 ? "tool_intent" : "tool_results");
  executor.startInOrder(runnable);
}
