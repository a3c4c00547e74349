import type { AgentSpec, ExecutionBackend, Termination } from "@reprise/contracts";
import { messageIdOf, stepIdOf } from "./derived-ids.ts";
import type { RunWorkspace } from "./run-workspace.ts";

/** Has a run executed elsewhere: the thread, the journal and the outcome are kept here, the work is not done here. */
export async function runRemote(
  workspace: RunWorkspace,
  spec: AgentSpec,
  backend: ExecutionBackend,
): Promise<Termination> {
  const { run, signal } = workspace;
  const stepId = stepIdOf(run.run_id, run.steps + 1);
  workspace.setRun({ steps: run.steps + 1 });
  workspace.show("step_start", { message_id: messageIdOf(stepId) }, stepId);
  workspace.assertHeld();
  const { termination, text } = await backend.run(spec, {
    run_id: run.run_id,
    thread_id: run.thread_id,
    messages: workspace.modelMessages(),
    signal,
    showText: (delta) => workspace.show("text_delta", { delta }, stepId),
  });
  signal.throwIfAborted();
  if (text !== "") {
    const metadata = { run_id: run.run_id, step_index: run.steps + 1 };
    workspace.addMessage({ id: messageIdOf(stepId), role: "assistant", content: text, metadata });
  }
  workspace.hold("step_end", {}, stepId);
  return termination;
}
