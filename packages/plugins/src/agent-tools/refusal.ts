import { type MarkedResult, type RepriseError, toolResult } from "@reprise/contracts";

/** Why a task cannot be started or found, in the words of the tools. */
export interface Refusal {
  readonly code:
    | "invalid_arguments"
    | "unknown_agent"
    | "unknown_run"
    | "invalid_state"
    | "denied"
    | "missing_scope"
    | "store_error";
  readonly message: string;
  /** The limit that was reached. */
  readonly limit?: string;
  /** The size of that limit, or what is left of it. */
  readonly most?: number;
}

/** A result that says why, for the model to read. */
export function refuse(tool: string, { message, ...refusal }: Refusal): MarkedResult {
  const error = { ...refusal, message };
  return toolResult({ tool_name: tool, status: "error", data: { error }, message, metadata: {} });
}

export function unknownRun(tool: string, runId: string): MarkedResult {
  const message = `There is no task ${JSON.stringify(runId)} that was started from this thread.`;
  return refuse(tool, { code: "unknown_run", message });
}

/** The refusal that the model reads for an error of the runtime; undefined for errors that no model can do anything about. */
export function refusalOf({ code, message, details, isRetryable }: RepriseError): Refusal | undefined {
  if (code === "AGENT_NOT_FOUND") return { code: "unknown_agent", message };
  if (code === "INVALID_REQUEST") return { code: "invalid_arguments", message };
  if (code === "DELEGATION_LIMIT")
    return { code: "denied", message, limit: String(details.limit), most: Number(details.most) };
  if (code === "BUDGET_EXCEEDED")
    return { code: "denied", message, limit: String(details.unit), most: Number(details.left) };
  return isRetryable ? { code: "store_error", message } : undefined;
}
