import type { ToolCallRecord, ToolProgress } from "@reprise/contracts";
import type { Json } from "@reprise/state";
import type { EventSink, RunView } from "../run/ports.ts";

/** Shows how far a call is, as an activity of the canonical shape `tool-call-progress.v1`. */
export function reportProgress(
  workspace: Pick<RunView, "run" | "now"> & Pick<EventSink, "emit">,
  call: ToolCallRecord,
  progress: ToolProgress,
): void {
  const { run } = workspace;
  const node = `tool_call:${call.call_id}`;
  const content: Record<string, Json> = {
    type: "tool-call-progress",
    schema: "tool-call-progress.v1",
    node_id: node,
    ...(run.parent_call_id !== undefined && {
      parent_node_id: `tool_call:${run.parent_call_id}`,
      parent_call_id: run.parent_call_id,
    }),
    call_id: call.call_id,
    tool_name: call.tool_id,
    status: "running",
    ...(progress.progress !== undefined && { progress: progress.progress }),
    ...(progress.total !== undefined && { total: progress.total }),
    ...(progress.message !== undefined && { message: progress.message }),
    run_id: run.run_id,
    ...(run.parent_run_id !== undefined && { parent_run_id: run.parent_run_id }),
    thread_id: run.thread_id,
    updated_at_ms: workspace.now,
  };
  workspace.emit("activity_snapshot", { message_id: node, activity_type: "tool-call-progress", content }, call.step_id);
}
