import { type SuspendTicket, type Tool, type ToolCallRecord, type ToolResult, toolFailure } from "@reprise/contracts";
import type { RunWorkspace } from "../loop/run-workspace.ts";
import { askAbout } from "./ask-about.ts";
import { describeThrown } from "./describe-thrown.ts";
import { isAllowed } from "./is-allowed.ts";
import { findReservedKey } from "./parse-arguments.ts";

/** What the gates say to a call. */
export type Admission =
  | { readonly kind: "run"; readonly tool: Tool; readonly input: unknown }
  | { readonly kind: "fail"; readonly result: ToolResult }
  | { readonly kind: "suspend"; readonly ticket: SuspendTicket };

export interface AdmitOptions {
  /** A human has already agreed to exactly this. */
  readonly approved: boolean;
}

/** Takes a call through the gates, in order: policy, lookup, validation, approval. The first that objects decides. */
export async function admitCall(
  workspace: RunWorkspace,
  call: ToolCallRecord,
  { approved }: AdmitOptions,
): Promise<Admission> {
  const { tool_id, problem } = call;
  if (!isAllowed(workspace.policy, tool_id)) return fail(tool_id, "denied", `This run may not use tool ${tool_id}.`);
  const tool = workspace.agent.tools.get(tool_id);
  if (tool === undefined) {
    const known = [...workspace.agent.tools.keys()].join(", ") || "none";
    return fail(tool_id, "tool_not_found", `There is no tool ${JSON.stringify(tool_id)}. There are: ${known}.`);
  }
  const reserved = problem === undefined ? findReservedKey(call.arguments) : undefined;
  if (reserved !== undefined) {
    return fail(
      tool_id,
      "invalid_arguments",
      `Cannot call ${tool_id}: the key ${JSON.stringify(reserved)} is not allowed.`,
    );
  }
  if (problem !== undefined) return fail(tool_id, "invalid_arguments", `Cannot call ${tool_id}: ${problem}.`);
  try {
    const checked = await tool.check(call.arguments);
    if (!checked.ok) return fail(tool_id, "invalid_arguments", `Cannot call ${tool_id}: ${checked.problem}.`);
    if (!approved && (await tool.needsApproval(checked.input)))
      return {
        kind: "suspend",
        ticket: askAbout(call, "approval", `May ${tool.descriptor.name} run with these arguments?`),
      };
    return { kind: "run", tool, input: checked.input };
  } catch (error) {
    // A schema or an approval rule that throws must not let the call through.
    return fail(tool_id, "execution_failed", `Tool ${tool_id} could not be checked: ${describeThrown(error)}.`);
  }
}

function fail(tool: string, code: Parameters<typeof toolFailure>[1], message: string): Admission {
  return { kind: "fail", result: toolFailure(tool, code, message) };
}
