import { callIdOf, messageIdOf } from "../thread/derived-ids.ts";
import type { TurnChunk } from "../turn/turn.ts";
import type { RunWorkspace } from "./run-workspace.ts";

/** Shows what the model says as the run's own events: a turn knows its calls by number, a run by id. */
export function showChunk(workspace: RunWorkspace, stepId: string, chunk: TurnChunk): void {
  switch (chunk.type) {
    case "text_delta":
    case "reasoning_delta":
      return workspace.emit(chunk.type, { delta: chunk.delta }, stepId);
    case "reasoning_encrypted_value":
      return workspace.emit(chunk.type, { encrypted_value: chunk.encrypted_value }, stepId);
    case "tool_call_start":
      return workspace.emit(chunk.type, { id: callIdOf(stepId, chunk.index), name: chunk.name }, stepId);
    case "tool_call_delta":
      return workspace.emit(chunk.type, { id: callIdOf(stepId, chunk.index), args_delta: chunk.args_delta }, stepId);
    case "tool_call_ready": {
      const { name, arguments: parsed } = chunk.call;
      return workspace.emit(chunk.type, { id: callIdOf(stepId, chunk.index), name, arguments: parsed.value }, stepId);
    }
    case "reset":
      return workspace.emit("step_reset", { message_id: messageIdOf(stepId) }, stepId);
    default:
      chunk satisfies never;
  }
}
