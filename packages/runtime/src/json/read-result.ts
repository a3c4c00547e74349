import { isToolResult, type SuspendTicket, type ToolResult, toolFailure, toolSuccess } from "@reprise/contracts";
import { outputJson } from "./output-json.ts";

const STATUSES: readonly string[] = ["success", "warning", "pending", "error"];
const RESUME_MODES: readonly string[] = ["replay_tool_call", "use_decision_as_tool_result", "pass_decision_to_tool"];

/** Makes a result of whatever a tool or a plugin gave as one. Only what is clearly a result passes for one. */
export function readResult(
  tool: string,
  returned: unknown,
  // The model must not take an output that cannot be read for a call that did nothing.
  said = `Tool ${tool} was executed, but what it returned`,
): ToolResult {
  const value: unknown = isToolResult(returned) ? plainResult(returned, tool) : (returned ?? null);
  const output = outputJson(value);
  if (!output.ok) return toolFailure(tool, "invalid_output", `${said} is not JSON: ${output.problem}.`);
  if (!isToolResult(returned)) return toolSuccess(tool, output.value);
  // Marked as a result and made of JSON; what is left to check are its fields.
  const result = output.value as unknown as ToolResult;
  const isWhole =
    STATUSES.includes(result.status) &&
    result.data !== undefined &&
    (result.message === null || typeof result.message === "string") &&
    typeof result.metadata === "object" &&
    result.metadata !== null &&
    (result.status !== "pending" || isTicket(result.suspension));
  return isWhole ? result : toolFailure(tool, "invalid_output", `${said} is not a whole result.`);
}

/** Only the fields of a result: its mark is no JSON. */
function plainResult({ status, data, message, metadata, suspension }: ToolResult, tool_name: string): unknown {
  return { tool_name, status, data, message, metadata, ...(suspension !== undefined && { suspension }) };
}

/** Whether a tool's suspension can be answered: it names its action. */
function isTicket(ticket: SuspendTicket | undefined): boolean {
  return (
    typeof ticket?.suspension?.id === "string" &&
    typeof ticket.suspension.action === "string" &&
    typeof ticket.pending?.id === "string" &&
    typeof ticket.pending.name === "string" &&
    RESUME_MODES.includes(ticket.resume_mode) &&
    isTimeLimit(ticket.expires_in_ms)
  );
}

/** How long a question may stay open: a positive number of milliseconds, or no limit at all. */
export function isTimeLimit(value: unknown): boolean {
  return value === undefined || (typeof value === "number" && Number.isFinite(value) && value > 0);
}
