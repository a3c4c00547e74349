import type { EventData, Termination, ToolResult } from "@reprise/contracts";
import { terminationCode } from "@reprise/contracts";
import type { Json, JsonObject } from "@reprise/state";
import { isObject } from "./json-rpc.ts";

/** A run as the result of a call tells of it. */
export interface EndedRun {
  readonly run_id: string;
  readonly thread_id: string;
  /** The end as its last event says it. */
  readonly end: EventData["run_finish"];
  /** The result of a call that was made by hand. */
  readonly result?: ToolResult;
}

/** What was called: an agent, perhaps with a schema of its output, or a tool. */
export interface McpTarget {
  readonly kind: "agent" | "tool";
  readonly hasOutput?: boolean;
}

/** The `CallToolResult` of a run that is over. */
export function encodeCallResult(run: EndedRun, target: McpTarget): JsonObject {
  const _meta = { "reprise/run_id": run.run_id, "reprise/thread_id": run.thread_id };
  if (target.kind === "tool" && run.result !== undefined) return { ...encodeToolResult(run.result), _meta };
  const { result = {}, termination } = run.end;
  const text = typeof result.response === "string" ? result.response : "";
  const failure = describeFailure(termination);
  const content = [
    { type: "text", text: failure === undefined ? text : `${failure}${text === "" ? "" : `\n\n${text}`}` },
  ];
  const isError = failure !== undefined || (target.hasOutput === true && !isObject(result.output));
  if (isError) return { content, isError, _meta };
  const { run_id, thread_id } = run;
  const structuredContent = target.hasOutput === true ? (result.output ?? {}) : { text, run_id, thread_id };
  return { content, structuredContent, _meta };
}

/** Why a run did not end by itself, in words. */
function describeFailure(termination: Termination): string | undefined {
  if (termination.type === "error") return `The run failed: ${termination.value}`;
  if (termination.type === "cancelled") return "The run was cancelled.";
  return termination.type === "stopped" ? `The run was stopped: ${terminationCode(termination)}.` : undefined;
}

/** The result of a tool. Content that another MCP server gave is passed on as it was. */
function encodeToolResult({ status, data, message, metadata }: ToolResult): JsonObject {
  const kept = metadata["mcp.result.content"];
  const isError = status === "error";
  const text = isError ? (message ?? "The tool failed.") : typeof data === "string" ? data : JSON.stringify(data);
  const content: Json = Array.isArray(kept) ? kept : [{ type: "text", text }];
  return { content, ...(isError ? { isError } : isObject(data) && { structuredContent: data }) };
}
