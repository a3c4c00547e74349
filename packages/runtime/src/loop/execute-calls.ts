import { RepriseError } from "@reprise/contracts";
import type { AgentView, Commits, Mailbox } from "../run/ports.ts";
import { CallExecutor, type ExecutorRun, type RunnableCall } from "./call-executor.ts";
import { type DecidingRun, decideCalls, findDecisions } from "./decide-calls.ts";

/** The parts of a run that a round of calls works with and changes. */
export type RoundRun = DecidingRun & ExecutorRun & AgentView & Commits & Pick<Mailbox, "mail" | "takeFound">;

/**
 * The gate through which decisions come into a run: at its start, before every model call, after every tool round.
 * Each decision moves its own call on, once; consuming it is part of the commit that does. Returns why the run should end,
 * when a tool says so.
 */
export async function applyDecisions(workspace: RoundRun): Promise<string | undefined> {
  let terminate: string | undefined;
  // Mostly nothing waits for one.
  while (workspace.openCalls.length > 0) {
    const found = await findDecisions(workspace, workspace.takeFound());
    const { isChanged, runnable } = await decideCalls(workspace, found);
    if (!isChanged) return terminate;
    await workspace.commit(runnable.length > 0 ? "tool_intent" : "tool_results");
    if (runnable.length > 0) terminate = (await executeAll(workspace, runnable)) ?? terminate;
  }
  return terminate;
}

/** Executes calls that are committed as running, and commits what they come to. */
export async function executeAll(workspace: RoundRun, runnable: readonly RunnableCall[]): Promise<string | undefined> {
  const executor = new CallExecutor(workspace);
  try {
    executor.startInOrder(runnable);
    await drainCalls(workspace, executor);
  } finally {
    executor.close();
  }
  if (workspace.hasChanges) await workspace.commit("tool_results");
  return executor.terminate;
}

/**
 * Sees the calls of an executor through. What has finished is committed while others still run, so that a crash cannot make
 * it unknown again; a decision that comes meanwhile lets its own call start, when the agent works that way.
 */
export async function drainCalls(workspace: RoundRun, executor: CallExecutor): Promise<void> {
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

async function breathe({ effects, services, run }: RoundRun, executor: CallExecutor): Promise<void> {
  await effects.perform({ kind: "pause", of: run.run_id }, async () => {
    for (let turn = 0; turn < BREATH_TURNS && !executor.hasFinished; turn += 1) await services.env.yield();
  });
}

/** What a tool did is a fact, also when a plugin fails that was to hear of it: it is committed before the run fails. */
async function settleNext(workspace: RoundRun, executor: CallExecutor, isStreaming: boolean): Promise<boolean> {
  try {
    return await executor.settleNext(isStreaming ? workspace.mail : undefined);
  } catch (error) {
    const isOfPlugin = RepriseError.is(error, "PLUGIN_FAILED") || RepriseError.is(error, "INVALID_ACTION");
    if (isOfPlugin && workspace.hasChanges && !workspace.signal.aborted) await workspace.commit("tool_results");
    throw error;
  }
}

async function startDecided(workspace: RoundRun, executor: CallExecutor): Promise<void> {
  const found = await findDecisions(workspace);
  // An interrupted run begins nothing: what was decided is left to the end of the run.
  if (workspace.signal.aborted) return;
  const { isChanged, runnable } = await decideCalls(workspace, found);
  if (!isChanged) return;
  await workspace.commit(runnable.length > 0 ? "tool_intent" : "tool_results");
  executor.startInOrder(runnable);
}
