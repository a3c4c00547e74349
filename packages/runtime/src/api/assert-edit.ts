import {
  activeAgentOf,
  type Decision,
  describeThrown,
  isOwnQuestion,
  RepriseError,
  type Tool,
  type ToolCallRecord,
} from "@reprise/contracts";
import type { Json } from "@reprise/state";
import { BUDGET_CALL, REVIEW_CALL } from "../budget/budget-call.ts";
import { findLimitProblem } from "../loop/budget-question.ts";
import { findAnswerProblem } from "../loop/review-question.ts";
import type { Services } from "../loop/services.ts";
import { toolVersion } from "../resolve/tool-version.ts";

/**
 * Refuses edited arguments that the tool does not take: the question stays open for better ones. Only where this process has the tool
 * the call is for; elsewhere the owner of the run looks at them, and asks again.
 */
export async function assertEdit(
  services: Services,
  tenant: string,
  call: ToolCallRecord,
  { arguments: edited }: Pick<Decision, "arguments">,
): Promise<void> {
  if (edited === undefined || call.ticket?.resume_mode === "use_decision_as_tool_result") return;
  const problem = isOwnQuestion(call)
    ? findOwnProblem(call, edited)
    : await findProblem(await findTool(services, tenant, call), edited);
  if (problem === undefined) return;
  const message = `The edited arguments of ${call.tool_id} were refused, and the question stays open: ${problem}.`;
  throw new RepriseError("INVALID_ARGUMENTS", message, { details: { call_id: call.call_id, tool_id: call.tool_id } });
}

function findOwnProblem(call: ToolCallRecord, edited: Json): string | undefined {
  if (call.tool_id === BUDGET_CALL) return findLimitProblem(edited);
  return call.tool_id === REVIEW_CALL ? findAnswerProblem(call, edited) : undefined;
}

async function findProblem(tool: Tool | undefined, edited: Json): Promise<string | undefined> {
  if (tool === undefined) return undefined;
  try {
    const checked = await tool.check(edited);
    return checked.ok ? undefined : checked.problem;
  } catch (error) {
    return `they could not be checked (${describeThrown(error)})`;
  }
}

/** The very tool that was asked about, if it is here. */
async function findTool(services: Services, tenant: string, call: ToolCallRecord): Promise<Tool | undefined> {
  const { agents, env } = services;
  const run = await services.store.forTenant(tenant).loadRun(call.run_id);
  if (run === undefined || agents.registries.agents.get(activeAgentOf(run)) === undefined) return undefined;
  const plan = agents.describedPlan(activeAgentOf(run), tenant);
  const tool = plan.kind === "local" ? plan.agent.tools.get(call.tool_id) : undefined;
  return tool !== undefined && toolVersion(env, tool) === call.tool_version ? tool : undefined;
}
