import { messageIdOf, stepIdOf } from "../thread/derived-ids.ts";
import type { RunWorkspace } from "./run-workspace.ts";

/** Gives the answer of a run that no model gives, as a step of its own. */
export function sayAnswer(workspace: RunWorkspace, text: string): void {
  const { run } = workspace;
  const step = run.steps + 1;
  const stepId = stepIdOf(run.run_id, step);
  workspace.setRun({ steps: step });
  workspace.emitOnCommit("step_start", { message_id: messageIdOf(stepId) }, stepId);
  if (text !== "") workspace.emitOnCommit("text_delta", { delta: text }, stepId);
  const metadata = { run_id: run.run_id, step_index: step };
  workspace.addMessage({ id: messageIdOf(stepId), role: "assistant", content: text, metadata });
  workspace.emitOnCommit("step_end", {}, stepId);
}
