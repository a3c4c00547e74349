import type { Message, ToolResult } from "@reprise/contracts";
import { resultIdOf } from "./derived-ids.ts";

/** The result of a call as the model reads it. */
export function toolMessage(callId: string, runId: string, result: ToolResult): Message {
  const content = typeof result.data === "string" ? result.data : JSON.stringify(result.data);
  return {
    id: resultIdOf(callId),
    role: "tool",
    tool_call_id: callId,
    content,
    metadata: {
      run_id: runId,
      tool_name: result.tool_name,
      status: result.status,
      // For clients that show the result again later. The model does not read it.
      ...(Object.keys(result.metadata).length > 0 && { result_metadata: result.metadata }),
    },
  };
}
