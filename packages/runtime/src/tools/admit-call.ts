import {
  type AfterToolOutcome,
  type CheckedInput,
  type Decision,
  describeThrown,
  type SuspendTicket,
  type Tool,
  type ToolCallRecord,
  type ToolErrorCode,
  toolFailure,
} from "@reprise/contracts";
import type { Json } from "@reprise/state";
import { findReservedKey } from "../json/parse-arguments.ts";
import { askPlugins, type Objection } from "../phases/plugin-gate.ts";
import type { PhaseRun } from "../phases/run-phase.ts";
import type { AgentView, RunView } from "../run/ports.ts";
import { askAbout } from "../thread/ask-about.ts";
import { type CountingRun, countCall } from "./count-call.ts";
import { isAllowed } from "./offered-tools.ts";
import { type FailingRun, reportToolError } from "./report-tool-error.ts";

/** The parts of a run that decide whether a call may be executed. */
export type AdmittingRun = PhaseRun & FailingRun & CountingRun;

/** The verdict of the gates on a call. */
export type Admission = { readonly kind: "run"; readonly tool: Tool; readonly input: unknown } | Objection;

export interface AdmitOptions {
  /** A human has already agreed to exactly this. */
  readonly approved: boolean;
  /** The decision about the call, if it was suspended before. */
  readonly decision?: Decision | undefined;
  /** The question that was answered by it. */
  readonly question?: SuspendTicket | undefined;
  /** It was begun before, and counted then. */
  readonly isCounted?: boolean;
}

/** Takes a call through the gates, in order: policy, lookup, validation, plugins, approval, limit. The first that objects decides. */
export async function admitCall(
  workspace: AdmittingRun,
  call: ToolCallRecord,
  { approved, decision, question, isCounted = false }: AdmitOptions,
): Promise<Admission> {
  const { tool_id } = call;
  const found = findTool(workspace, call);
  if (found.kind === "end") return found;
  const { tool } = found;
  let checked: Awaited<ReturnType<Tool["check"]>>;
  try {
    checked = await workspace.effects.perform(
      { kind: "check", of: call.call_id, encode: encodeCheck, decode: decodeCheck },
      () => tool.check(call.arguments),
    );
  } catch (error) {
    return uncheckable(workspace, call, error);
  }
  if (!checked.ok) return refuse(tool_id, "invalid_arguments", `Cannot call ${tool_id}: ${checked.problem}.`);
  const objection = await askPlugins(workspace, call, tool, { decision, question });
  if (objection !== undefined) return objection;
  try {
    const { input } = checked;
    const asked = { kind: "approval", of: call.call_id } as const;
    const mustAsk = !approved && (await workspace.effects.perform(asked, () => tool.needsApproval(input)));
    if (!mustAsk) {
      const reached = isCounted ? undefined : await countCall(workspace, call);
      return reached === undefined ? { kind: "run", tool, input } : refuse(tool_id, "denied", reached);
    }
  } catch (error) {
    return uncheckable(workspace, call, error);
  }
  const message = `May ${tool.descriptor.name} run with these arguments?`;
  return { kind: "suspend", ticket: askAbout(call, "approval", message) };
}

/** Records the problem only: the input that the schema transformed is for the tool alone. */
function encodeCheck(checked: CheckedInput): Json {
  return checked.ok ? null : checked.problem;
}

function decodeCheck(stored: Json | undefined): CheckedInput {
  return typeof stored === "string" ? { ok: false, problem: stored } : { ok: true, input: undefined };
}

/** The gates without code of plugins or tools: their refusals come before anything of the round runs. */
export function findTool(
  workspace: Pick<RunView, "policy"> & Pick<AgentView, "agent">,
  { tool_id, problem, refusal, told_tools, arguments: given }: ToolCallRecord,
): { readonly kind: "found"; readonly tool: Tool } | Extract<Admission, { kind: "end" }> {
  if (!isAllowed(workspace.policy, tool_id))
    return refuse(tool_id, "denied", `The policy of this run does not allow tool ${tool_id}.`);
  if (refusal !== undefined) return refuse(tool_id, "denied", refusal);
  const tool = workspace.agent.tools.get(tool_id);
  if (tool === undefined) {
    // Only what the model was told about, and not all of that. A call by hand, and one of the loop's first version, has no such list.
    const known = told_tools ?? ([...workspace.agent.tools.keys()].join(", ") || "none");
    return refuse(tool_id, "tool_not_found", `There is no tool ${JSON.stringify(tool_id)}. Available tools: ${known}.`);
  }
  if (problem !== undefined) return refuse(tool_id, "invalid_arguments", `Cannot call ${tool_id}: ${problem}.`);
  const reserved = findReservedKey(given);
  if (reserved === undefined) return { kind: "found", tool };
  const message = `Cannot call ${tool_id}: the key ${JSON.stringify(reserved)} is not allowed.`;
  return refuse(tool_id, "invalid_arguments", message);
}

/** A schema or an approval rule that throws must not let the call through. */
function uncheckable(workspace: FailingRun, call: ToolCallRecord, error: unknown): Objection {
  const { tool_id: tool } = call;
  reportToolError(workspace, call, error);
  return refuse(tool, "execution_failed", `Tool ${tool} could not be checked: ${describeThrown(error)}.`);
}

function refuse(tool: string, code: keyof typeof OUTCOMES, message: string): Extract<Admission, { kind: "end" }> {
  return {
    kind: "end",
    by: "gate",
    outcome: OUTCOMES[code],
    trigger: "fail",
    result: toolFailure(tool, code, message),
  };
}

/** Why the gates refuse a call, as plugins hear of it. */
const OUTCOMES = {
  denied: "refused",
  invalid_arguments: "invalid",
  tool_not_found: "missing",
  execution_failed: "failed",
} as const satisfies Partial<Record<ToolErrorCode, AfterToolOutcome>>;
