import {
  type NewEntry,
  RepriseError,
  type RunRecord,
  type RunRequest,
  type Termination,
  terminationCode,
  toRepriseError,
} from "@reprise/contracts";
import { frameText } from "../thread/frame-text.ts";
import type { RunWorkspace } from "./run-workspace.ts";
import { lastAnswer } from "./structured-output.ts";

/**
 * Tells the thread of the run above that this run is over, in a message of its own that a run at work there takes in, and that is a
 * run of its own otherwise. Told before the run ends, so that no crash loses it: what it says is committed by then, and an owner
 * that takes over says the same under the same key, which counts once. A run that a call waits for answers the call instead.
 */
export async function notifyParent(workspace: RunWorkspace, termination: Termination): Promise<void> {
  const { run, effects, services } = workspace;
  const { parent_run_id, parent_thread_id, parent_call_id } = run;
  const isAwaited = parent_call_id !== undefined || parent_thread_id === run.thread_id;
  if (parent_run_id === undefined || parent_thread_id === undefined || isAwaited) return;
  if (workspace.hasChanges) await workspace.commit("assistant_turn");
  const told = describeEnd(workspace, termination);
  const question = { kind: "notify", of: run.run_id, encode: () => undefined } as const;
  await effects.perform(question, async () => {
    try {
      await submit(workspace, parent_run_id, parent_thread_id, told);
    } catch (error) {
      // A store that is away is tried again; a thread that is gone, or an agent, has nobody to tell.
      if (RepriseError.is(error) && error.isRetryable) throw error;
      const { message: problem } = toRepriseError(error);
      services.env.log("warn", "the run above was not told that a run is over", { run_id: run.run_id, problem });
    }
  });
}

function describeEnd(workspace: RunWorkspace, termination: Termination): string {
  const { run } = workspace;
  const ending = `Run ${run.run_id} of agent ${run.agent_id} is over: ${terminationCode(termination)}.`;
  const said = termination.type === "error" ? termination.value : lastAnswer(workspace.modelMessages(), run.run_id);
  return said === undefined ? ending : `${ending}\n\n${said}`;
}

async function submit(
  { run, store }: RunWorkspace,
  parentRunId: string,
  threadId: string,
  told: string,
): Promise<void> {
  const parent: RunRecord | undefined = await store.loadRun(parentRunId);
  if (parent?.thread_id !== threadId) return;
  const run_id = `${run.run_id}-completion`;
  const source = `run:${run.run_id}`;
  const content = frameText("task", source, told);
  const request: RunRequest = {
    agent_id: parent.agent_id,
    thread_id: threadId,
    run_id,
    origin: "internal",
    sender_id: source,
    messages: [{ role: "user", content, visibility: "internal", metadata: { source } }],
    // It goes on with what the run above began, and spends from the same.
    ...(parent.budget_id !== undefined && { budget_id: parent.budget_id }),
  };
  const entry: NewEntry = {
    entry_id: `${run_id}-entry`,
    thread_id: threadId,
    run_id,
    request,
    busy_policy: "steer",
    priority: 0,
    sender_id: source,
    dedupe_key: `parent-task-completion:${parentRunId}:${run.run_id}`,
  };
  await store.submit(entry);
}
