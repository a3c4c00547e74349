import type { MarkedResult, RepriseError } from "@reprise/contracts";
import { refuse } from "../runs-below/refuse.ts";

/** Why a task cannot be started or found, in the words of the tools. A type: JSON has no interfaces. */
export type Refusal = {
  readonly code: "invalid_arguments" | "unknown_agent" | "unknown_run" | "invalid_state" | "denied" | "store_error";
  readonly message: string;
  /** The limit that was reached. */
  readonly limit?: string;
  /** The size of that limit, or what is left of it. */
  readonly most?: number;
};

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
