import type { ToolCallRecord } from "@reprise/contracts";
import type { Json } from "@reprise/state";
import type { CallBook, RunView } from "../run/ports.ts";
import { callIdOf } from "../thread/derived-ids.ts";

const FIRST_QUESTION = 1_000_000;

/** A question of the runtime's own, as a call that no tool answers (`isOwnQuestion`). */
export function openQuestion(
  workspace: RunView & Pick<CallBook, "setCall">,
  stepId: string,
  toolId: string,
  about: Json,
): ToolCallRecord {
  const { run, now } = workspace;
  const call: ToolCallRecord = {
    // Behind every call the model may make in this step, and after every question before: events have been committed since.
    call_id: callIdOf(stepId, FIRST_QUESTION + run.last_seq),
    run_id: run.run_id,
    thread_id: run.thread_id,
    step_id: stepId,
    tool_id: toolId,
    tool_version: "1",
    arguments: about,
    status: "new",
    suspension: 0,
    updated_at: now,
  };
  workspace.setCall(call);
  return call;
}
