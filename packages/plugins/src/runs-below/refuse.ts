import { type MarkedResult, type ToolContext, toolResult } from "@reprise/contracts";
import type { Json } from "@reprise/state";

/** A result that says why a tool did not do its work, for the model to read. */
export function refuse(
  tool: string,
  error: { readonly code: string; readonly message: string; readonly [more: string]: Json },
): MarkedResult {
  return toolResult({ tool_name: tool, status: "error", data: { error }, message: error.message, metadata: {} });
}

/** A host other than the runtime may execute a tool without a run around it. */
export function isOutside({ runs }: Partial<Pick<ToolContext, "runs">>): boolean {
  return runs === undefined;
}

export function missingScope(tool: string): MarkedResult {
  return refuse(tool, { code: "missing_scope", message: `${tool} works only in a run: there is none to work for.` });
}
