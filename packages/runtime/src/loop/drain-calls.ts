import { decideCalls } from "./apply-decisions.ts";
import type { CallExecutor } from "./call-executor.ts";
import type { RunWorkspace } from "./run-workspace.ts";

/**
 * Sees the calls of an executor through. What has finished is committed while others still run, so that a crash cannot make
 * it unknown again; a decision that comes meanwhile lets its own call start, when the agent works that way.
 */
export async function drainCalls(workspace: RunWorkspace, executor: CallExecutor): Promise<void> {
  const isStreaming = workspace.agent.spec.tool_execution_mode === "parallel_streaming";
  while (executor.isBusy) {
    const isSettled = await executor.settleNext(isStreaming ? workspace.mail.arrival() : undefined);
    if (isStreaming && workspace.mail.take() && !workspace.signal.aborted) await startDecided(workspace, executor);
    // Only for the sake of a result: a commit counts as progress.
    if (isSettled && executor.isBusy && workspace.hasChanges) await workspace.commit("tool_results");
  }
}

async function startDecided(workspace: RunWorkspace, executor: CallExecutor): Promise<void> {
  const { isChanged, runnable } = await decideCalls(workspace);
  if (!isChanged) return;
  await workspace.commit(runnable.length > 0 ? "tool_intent" : "tool_results");
  for (const item of runnable) executor.start(item);
}
